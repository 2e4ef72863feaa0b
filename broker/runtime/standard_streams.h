#pragma once

namespace braid::broker {

/// Makes the standard streams safe for a program that runs for long; first thing in main.
///
/// A reader that has gone is an error of the write, not a signal that ends the process. A stream that the caller closed
/// is taken, so that no file or socket of ours gets its number: what is read from it or printed to it fails, as it
/// would have, and what is logged goes nowhere.
void prepare_standard_streams();

}  // namespace braid::broker
