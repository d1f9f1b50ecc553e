# One interface target carries the flags of the whole tree.
add_library(plim_options INTERFACE)
target_compile_options(plim_options INTERFACE
  -Wall -Wextra -Wshadow -Wvla -Wstrict-prototypes
  -ffp-contract=off # same bits whatever the compiler fuses
  -fno-math-errno
  # Under sanitizers clang cannot honour every "omp simd", and says so; that is no defect.
  $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)
target_compile_definitions(plim_options INTERFACE _XOPEN_SOURCE=700)
target_include_directories(plim_options INTERFACE ${PROJECT_SOURCE_DIR}/src
                                                  ${PROJECT_SOURCE_DIR}/include)
if(PLIM_WERROR)
  target_compile_options(plim_options INTERFACE -Werror)
endif()
if(PLIM_NATIVE)
  target_compile_options(plim_options INTERFACE -march=native)
endif()
if(PLIM_ASSERTS)
  target_compile_definitions(plim_options INTERFACE PLIM_ASSERTS)
endif()
