#pragma once

#include <memory>
#include <string>

#include "protocol/base/result.h"
#include "storage/env/file_system.h"

namespace braid::storage {

/// The machine's own files below `root`, an existing directory (ENOENT, ENOTDIR, EACCES otherwise). Holds one
/// descriptor, so renaming the root does no harm. Files are made with mode 0640, directories with 0750, all close on
/// exec.
///
/// Direct I/O falls back to buffered where the file system refuses it or asks for more than kDirectAlignmentBytes.
Result<std::unique_ptr<FileSystem>> open_posix_file_system(const std::string& root);

}  // namespace braid::storage
