#!/bin/bash
# Installs a build to a temporary prefix and builds and runs small programs against it in every way that a user may:
# each component, by pkg-config and find_package, shared and static. Checks what each library needs and shows.
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
components=(plimsoll-core plimsoll-scene plimsoll-io plimsoll)
program() { [ "$1" = plimsoll-core ] && echo "$here/example.c" || echo "$here/scene.c"; }

for name in "${components[@]}"; do
    library=${name/-/_}
    echo "pkg-config $name, shared"
    read -ra flags < <(pkg-config --cflags --libs "$name")
    "$cc" -std=c17 -Wall -Wextra -Werror -o "$work/shared" "$(program "$name")" "${flags[@]}" -lm
    LD_LIBRARY_PATH=$libdir "$work/shared"

    # With both libraries in one folder -lplimsoll means the shared one; the archive is named in full.
    echo "pkg-config $name, static"
    read -ra flags < <(pkg-config --static --cflags --libs "$name")
    "$cc" -std=c17 -o "$work/static" "$(program "$name")" "${flags[@]/#-l$library/-l:lib$library.a}"
    if ldd "$work/static" | grep -q libplimsoll; then
        echo "the static program still needs lib$library.so" >&2
        exit 1
    fi
    "$work/static"
done

echo "find_package, every component"
cmake -S "$here" -B "$work/project" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" \
    >"$work/configure.log" || { cat "$work/configure.log"; exit 1; }
cmake --build "$work/project" >"$work/build.log" || { cat "$work/build.log"; exit 1; }
for component in core scene io plimsoll core_static scene_static io_static static; do
    "$work/project/example_$component"
done

# needs_only LIBRARY PATTERN: whatever it needs, by itself or through others, matches the extended expression.
needs_only() {
    local needed foreign
    needed=$(ldd "$libdir/lib$1.so" | awk '{print $1}')
    foreign=$(grep -vE "^($2)" <<<"$needed" || true)
    [ -z "$foreign" ] || { echo "lib$1.so must not need: ${foreign//$'\n'/ }" >&2; exit 1; }
}
# needs_none LIBRARY PATTERN: nothing that it asks for itself matches.
needs_none() {
    local needed foreign
    needed=$(readelf -d "$libdir/lib$1.so" | awk '/NEEDED/ {print $NF}')
    foreign=$(grep -E "$2" <<<"$needed" || true)
    [ -z "$foreign" ] || { echo "lib$1.so must not need: ${foreign//$'\n'/ }" >&2; exit 1; }
}
echo "what the libraries need"
system='linux-vdso|/lib|libc\.so|libm\.so|libgomp\.so|libomp\.so'
needs_only plimsoll_core "$system"
needs_only plimsoll_scene "$system|libyaml"
needs_none plimsoll_io 'embree|tbb|png'

echo "what the libraries show"
"$here/../../scripts/lint-symbols" "$libdir"

echo "the installed program"
"$prefix/bin/plimsoll" check "$prefix/share/plimsoll/scenes/demo.yaml"
