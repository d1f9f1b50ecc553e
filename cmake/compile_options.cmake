# One interface target carries the flags of the whole tree.
get_filename_component(plim_root ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
add_library(plim_options INTERFACE)
target_compile_options(plim_options INTERFACE
  -Wall -Wextra -Wshadow -Wvla $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
  -ffp-contract=off # same bits whatever the compiler fuses
  -fno-math-errno
  # Under sanitizers clang cannot honour every "omp simd", and says so; that is no defect.
  $<$<C_COMPILER_ID:Clang>:-Wno-pass-failed>)
target_compile_definitions(plim_options INTERFACE _XOPEN_SOURCE=700)
target_include_directories(plim_options INTERFACE ${plim_root}/src
                                                  ${plim_root}/include)
if(PLIM_WERROR)
  target_compile_options(plim_options INTERFACE -Werror)
endif()
if(PLIM_NATIVE)
  target_compile_options(plim_options INTERFACE -march=native)
endif()
if(PLIM_ASSERTS)
  target_compile_definitions(plim_options INTERFACE PLIM_ASSERTS)
endif()
