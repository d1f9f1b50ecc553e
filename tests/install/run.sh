#!/bin/bash
# Installs a build to a temporary prefix and builds and runs example.c against it in every way that
# a user may: pkg-config and find_package, shared and static.
#     run.sh BUILD_FOLDER
set -euo pipefail

build=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
cc=${CC:-cc}

cmake --install "$build" --prefix "$prefix" >"$work/install.log"
libdir=$(dirname "$(find "$prefix" -name libplimsoll.a)")
export PKG_CONFIG_PATH=$libdir/pkgconfig

echo "pkg-config, shared"
read -ra flags < <(pkg-config --cflags --libs plimsoll)
"$cc" -std=c17 -Wall -Wextra -Werror -o "$work/shared" "$here/example.c" "${flags[@]}" -lm
LD_LIBRARY_PATH=$libdir "$work/shared"

# With both libraries in one folder -lplimsoll means the shared one; the archive is named in full.
echo "pkg-config, static"
read -ra flags < <(pkg-config --static --cflags --libs plimsoll)
"$cc" -std=c17 -o "$work/static" "$here/example.c" "${flags[@]/#-lplimsoll/-l:libplimsoll.a}"
if ldd "$work/static" | grep -q libplimsoll; then
    echo "the static example still needs libplimsoll.so" >&2
    exit 1
fi
"$work/static"

echo "find_package, shared and static"
cmake -S "$here" -B "$work/project" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" \
    >"$work/configure.log" || { cat "$work/configure.log"; exit 1; }
cmake --build "$work/project" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
"$work/project/example_shared"
"$work/project/example_static"

echo "the installed program"
"$prefix/bin/plimsoll" check "$prefix/share/plimsoll/scenes/demo.yaml"
