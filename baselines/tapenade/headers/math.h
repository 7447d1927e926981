/* What the objectives take from the C library's mathematics: Tapenade reads neither attributes nor built-ins. */
double exp(double x);
double log(double x);
double sqrt(double x);
double sin(double x);
double cos(double x);
double tanh(double x);
double lgamma(double x);
