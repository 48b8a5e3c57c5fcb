/* each calls what it is given; with -DCHANGED, verify works harder, and print as before. */
#ifdef CHANGED
enum { EFFORT = 90 };
#else
enum { EFFORT = 60 };
#endif

static volatile int sum;

static void work(int n) { for (int i = 0; i < n; i++) sum += i; }
static void print(int row) { work(40 + row); }
static void verify(int row) { work(EFFORT + row); }
static void each(void (*callback)(int)) { for (int row = 0; row < 10; row++) callback(row); }
static void report(void) { each(print); }
static void check(void) { each(verify); }

int main(void)
{
    report();
    check();
    report();
    return 0;
}
