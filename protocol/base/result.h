#pragma once

#include <boost/system/result.hpp>
#include <utility>

#include "protocol/base/errc.h"

namespace braid::protocol {

/// A value, or the error_code that says why there is none. Never ignored: the compiler warns, and warnings are errors.
template <class T>
class [[nodiscard]] Result : public boost::system::result<T> {
 public:
  using boost::system::result<T>::result;
};

/// What a function without a value returns when all went well.
inline Result<void> ok() { return Result<void>(boost::system::in_place_value); }

}  // namespace braid::protocol

#define BRAID_JOIN_(a, b) a##b
#define BRAID_JOIN(a, b) BRAID_JOIN_(a, b)

// NOLINTBEGIN(bugprone-macro-parentheses): the first argument is a declaration.
/// TRY(const Extent extent, find(offset)): declares `extent` from the value, or returns the error from the calling
/// function.
#define TRY(declaration, expression)                              \
  auto BRAID_JOIN(try_result_, __LINE__) = (expression);          \
  if (BRAID_JOIN(try_result_, __LINE__).has_error()) [[unlikely]] \
    return BRAID_JOIN(try_result_, __LINE__).error();             \
  declaration = *std::move(BRAID_JOIN(try_result_, __LINE__))

/// TRY_DO(write(bytes)): the same for a Result<void>.
#define TRY_DO(expression)                                                                                  \
  if (auto BRAID_JOIN(try_result_, __LINE__) = (expression); BRAID_JOIN(try_result_, __LINE__).has_error()) \
      [[unlikely]]                                                                                          \
  return BRAID_JOIN(try_result_, __LINE__).error()
// NOLINTEND(bugprone-macro-parentheses)
