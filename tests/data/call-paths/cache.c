/* load and store look keys up; with -DCHANGED, load finds half of them in a cache. */
static volatile int sum;

static void mix(int key) { for (int i = 0; i < 30; i++) sum ^= key * i; }
static void hash(int key) { for (int i = 0; i < 5; i++) mix(key + i); }
#ifdef CHANGED
static int cached(int key) { sum += key; return key % 2; }
#endif
static void lookup(int key, int may_cache)
{
#ifdef CHANGED
    if (may_cache && cached(key))
        return;
#endif
    if (may_cache >= 0)
        hash(key);
}
static void load(void) { for (int key = 0; key < 20; key++) lookup(key, 1); }
static void store(void) { for (int key = 0; key < 15; key++) lookup(key, 0); }

int main(void)
{
    load();
    store();
    return 0;
}
