#pragma once

#include <string>

#include "protocol/recode/words.h"

namespace braid::protocol {

/// CODEC SEED COUNT: a random batch that they determine, as JSON (an array with the batch and its records), a tab and
/// hexadecimal digits.
std::string build_records(Words& words);

}  // namespace braid::protocol
