# The short way to everything; CMakePresets.json and scripts/ hold the details.
PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: build demo test check check-wasm bench validate lint format install clean

# The program, build/plimsoll, and the libraries, build/src/libplimsoll*
build: build/build.ninja
	cmake --build build --target plimsoll libraries

build/build.ninja: CMakePresets.json
	@for tool in cmake ninja gcc pkg-config; do command -v $$tool >/dev/null || \
	    { echo "there is no $$tool; run scripts/setup, then build again" >&2; exit 1; }; done
	cmake --preset release

demo:
	scripts/setup --demo
	$(MAKE) build
	build/plimsoll run scenes/demo.yaml --out out/demo
	build/plimsoll render out/demo --width 720 --height 405
	@echo "film:          $(CURDIR)/out/demo/film.mp4"
	@echo "contact sheet: $(CURDIR)/out/demo/sheet.png"
	@echo "look around:   build/plimsoll view out/demo"

test:
	@scripts/setup
	@scripts/test

# The same tests at larger sizes, and the core as WebAssembly.
check: check-wasm
	@scripts/setup
	@scripts/test --check

# The core as WebAssembly, under node.
check-wasm:
	@scripts/setup --wasm
	@scripts/test-wasm

bench: build
	build/plimsoll bench

# The gates in full: first the unit tests that `make test` runs with fewer tries.
validate: build
	cmake --build build --target unit_tests
	PLIM_RAY_TRIES=10000000 build/tests/test_bvh_seams
	PLIM_FIELD_POINTS=100000 build/tests/test_level_set
	PLIM_MOVING_CASES=1000000 build/tests/test_moving
	/usr/bin/python3 scripts/validate --tables docs

lint:
	@scripts/setup --lint
	@scripts/lint

format:
	scripts/format

# A build for other machines starts with: cmake --preset release -DPLIM_NATIVE=OFF
install: build
	DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

clean:
	rm -rf build build-* out
