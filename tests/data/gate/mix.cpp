#include "mix.h"
__attribute__((noinline)) static uint32_t spread(uint32_t value) {
    value ^= value << 13;
    value ^= value >> 17;
    return value ^ value << 5;
}
template <typename Sum> __attribute__((noinline)) uint32_t fold(const Numbers &numbers) {
    Sum sum = 0;
    for (uint32_t number : numbers) sum += spread(number);
    return uint32_t(sum);
}
__attribute__((noinline)) uint32_t mix(const Numbers &numbers) {
    return first(numbers) + second(numbers) + third(numbers);
}
int main() {
    Numbers numbers(1024);
    for (uint32_t place = 0; place < 1024; place++) numbers[place] = place * 2654435761u | 0x01010101;
    uint32_t sum = 0;
    for (int round = 0; round < 20; round++) sum += mix(numbers) + fold<uint32_t>(numbers);
    return sum == 1;
}
