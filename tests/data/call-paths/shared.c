/* Both a and b call mid, which does other work for each; with -DCHANGED, a calls it twice as often. */
#ifdef CHANGED
enum { ROUNDS = 40 };
#else
enum { ROUNDS = 20 };
#endif

static volatile int sum;

static void x(int n) { for (int i = 0; i < n; i++) sum += i; }
static void y(int n) { for (int i = 0; i < n; i++) sum -= i; }
static void mid(int for_a) { if (for_a) x(100); else y(150); }
static void a(void) { for (int i = 0; i < ROUNDS; i++) mid(1); }
static void b(void) { for (int i = 0; i < 20; i++) mid(0); }

int main(void)
{
    a();
    b();
    return 0;
}
