# Everything Plimsoll links against; scripts/setup installs the Debian packages behind it.
find_package(PkgConfig REQUIRED)
pkg_check_modules(yaml REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(png REQUIRED IMPORTED_TARGET libpng)
find_package(HDF5 REQUIRED COMPONENTS C)
find_package(embree 3 REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)
if(PLIM_PETSC) # scripts/setup --with-petsc
  pkg_search_module(petsc REQUIRED IMPORTED_TARGET PETSc petsc)
  find_package(MPI REQUIRED COMPONENTS C)
endif()
