# The few functions that every CMakeLists.txt of the project uses, and the flags that all targets share.
find_package(PkgConfig REQUIRED)

add_library(braid_flags INTERFACE)
target_include_directories(braid_flags INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
target_compile_options(braid_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Woverloaded-virtual -Wcast-qual
  -Wformat=2 -Wundef -Werror
  -fno-strict-aliasing -ffunction-sections -fdata-sections -fstack-protector-strong)
target_link_options(braid_flags INTERFACE -Wl,--gc-sections)
if(BRAID_SANITIZE)
  target_compile_options(braid_flags INTERFACE -fsanitize=${BRAID_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(braid_flags INTERFACE -fsanitize=${BRAID_SANITIZE})
endif()
if(BRAID_FUZZ)
  target_compile_options(braid_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these where nothing is wrong once coroutines, optionals and sanitizers are inlined.
  target_compile_options(braid_flags INTERFACE -Wno-maybe-uninitialized -Wno-dangling-pointer)
endif()

# braid_library(name SOURCES a.cc ... DEPS target ...): a layer box.
function(braid_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC braid_flags ${ARG_DEPS})
endfunction()

# braid_program(name SOURCES a.cc ... DEPS target ...): a program that lands in the top of the build folder.
function(braid_program name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE braid_flags ${ARG_DEPS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
endfunction()

if(BRAID_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
endif()

# braid_test(name SOURCES a_test.cc ... DEPS target ...): one GoogleTest program; each of its tests is a ctest test.
function(braid_test name)
  if(NOT BRAID_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE braid_flags ${ARG_DEPS} GTest::gtest_main)
  # A case is called by its name: its value would be printed as raw bytes, addresses among them.
  gtest_discover_tests(${name} TEST_PREFIX "${name}." NO_PRETTY_VALUES PROPERTIES TIMEOUT 120 DISCOVERY_TIMEOUT 60)
endfunction()

# braid_script_test(name COMMAND ...): a ctest test that runs a command; exit code 77 means "not run" and is counted as skipped.
function(braid_script_test name)
  if(NOT BRAID_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "TIMEOUT" "COMMAND" ${ARGN})
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_test(NAME ${name} COMMAND ${ARG_COMMAND})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${ARG_TIMEOUT})
endfunction()

# braid_benchmark(name SOURCES a_bench.cc ... DEPS target ...): a Google Benchmark program, run by ./dev bench.
function(braid_benchmark name)
  if(NOT BRAID_TESTS)
    return()
  endif()
  find_package(benchmark REQUIRED)
  braid_program(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE benchmark::benchmark_main)
endfunction()

add_custom_target(fuzzers)

# braid_fuzzer(name SOURCES a_fuzz.cc ... DEPS target ...): a libFuzzer program, run by ./dev fuzz. Only with clang (preset fuzz).
function(braid_fuzzer name)
  if(NOT BRAID_FUZZ)
    return()
  endif()
  braid_program(${name} ${ARGN})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzzers ${name})
endfunction()

# Whatever generates sources adds itself here, so that tools that only read code need not build it: add_dependencies(generated_sources x).
add_custom_target(generated_sources)
