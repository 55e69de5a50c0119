// overlap-bench and overlap-bench-host: the same sources, linked to one backend each.
#include "families/catalogue.hpp"
#include "harness/bench_main.hpp"

int main(int argc, char** argv) { return overlap::bench_main(argc, argv, overlap::catalogue()); }
