// Boost.JSON is header-only here; this is the one place that compiles it.
#include <boost/json/src.hpp>
