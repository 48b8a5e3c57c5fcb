// Sorts with std::sort; with -DBY_DIGITS by a function of its own, so that all template arguments differ.
#include <algorithm>
#include <cstdio>
#include <vector>

struct ByDigits {
    bool operator()(unsigned one, unsigned other) const { return one % 1000 < other % 1000; }
};

__attribute__((noinline)) static std::vector<unsigned> numbers() {
    std::vector<unsigned> values;
    unsigned seed = 7;
    for (int i = 0; i < 2000; i++) values.push_back((seed = seed * 1103515245 + 12345) >> 8);
    return values;
}

__attribute__((noinline)) static void order(std::vector<unsigned> &values) {
#ifdef BY_DIGITS
    std::sort(values.begin(), values.end(), ByDigits());
#else
    std::sort(values.begin(), values.end());
#endif
}

int main() {
    unsigned sum = 0;
    for (int round = 0; round < 5; round++) {
        std::vector<unsigned> values = numbers();
        order(values);
        sum += values[1000];
    }
    std::printf("%u\n", sum);
}
