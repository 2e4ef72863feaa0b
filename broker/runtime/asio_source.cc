// Asio is compiled once, here (BOOST_ASIO_SEPARATE_COMPILATION), so that every other file only reads its declarations.
#include <boost/asio/impl/src.hpp>
