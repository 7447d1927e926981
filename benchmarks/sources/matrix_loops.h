/* Plain loops over matrices, by rows and by columns: what is differentiated. */
#include <stddef.h>
typedef double d;
/* primals: `row` and `col` say how the matrix is stored */
void mv_row(const d *restrict A, const d *restrict x, d *restrict y, int n){for(int i=0;i<n;i++){d s=0;for(int j=0;j<n;j++)s+=A[(size_t)i*n+j]*x[j];y[i]=s;}}
void mv_col(const d *restrict A, const d *restrict x, d *restrict y, int n){for(int i=0;i<n;i++){d s=0;for(int j=0;j<n;j++)s+=A[(size_t)j*n+i]*x[j];y[i]=s;}}
void mv_colgood(const d *restrict A, const d *restrict x, d *restrict y, int n){for(int i=0;i<n;i++)y[i]=0;for(int j=0;j<n;j++)for(int i=0;i<n;i++)y[i]+=A[(size_t)j*n+i]*x[j];}
void tri_low(const d *restrict A, const d *restrict x, d *restrict y, int n){for(int i=0;i<n;i++){d s=0;for(int j=0;j<=i;j++)s+=A[(size_t)i*n+j]*x[j];y[i]=s;}}
void tri_lowcol(const d *restrict A, const d *restrict x, d *restrict y, int n){for(int i=0;i<n;i++){d s=0;for(int j=0;j<=i;j++)s+=A[(size_t)j*n+i]*x[j];y[i]=s;}}
void tri_up(const d *restrict A, const d *restrict x, d *restrict y, int n){for(int i=0;i<n;i++){d s=0;for(int j=i;j<n;j++)s+=A[(size_t)i*n+j]*x[j];y[i]=s;}}
void tri_upcol(const d *restrict A, const d *restrict x, d *restrict y, int n){for(int i=0;i<n;i++){d s=0;for(int j=i;j<n;j++)s+=A[(size_t)j*n+i]*x[j];y[i]=s;}}
void solve_row(const d *restrict A, const d *restrict x, d *restrict y, int n){for(int i=0;i<n;i++){d s=x[i];for(int j=0;j<i;j++)s-=A[(size_t)i*n+j]*y[j];y[i]=s/A[(size_t)i*n+i];}}
void solve_col(const d *restrict A, const d *restrict x, d *restrict y, int n){for(int i=0;i<n;i++){d s=x[i];for(int j=0;j<i;j++)s-=A[(size_t)j*n+i]*y[j];y[i]=s/A[(size_t)i*n+i];}}
void back_col(const d *restrict A, const d *restrict x, d *restrict y, int n){for(int i=n-1;i>=0;i--){d s=x[i];for(int j=i+1;j<n;j++)s-=A[(size_t)j*n+i]*y[j];y[i]=s/A[(size_t)i*n+i];}}
void rank1_row(const d *restrict A, const d *restrict x, d *restrict y, int n){for(int i=0;i<n;i++)for(int j=0;j<n;j++)y[(size_t)i*n+j]=A[(size_t)i*n+j]+x[i]*x[j];}
void rank1_col(const d *restrict A, const d *restrict x, d *restrict y, int n){for(int i=0;i<n;i++)for(int j=0;j<n;j++)y[(size_t)j*n+i]=A[(size_t)j*n+i]+x[i]*x[j];}
void mm_ijk(const d *restrict A, const d *restrict x, d *restrict y, int n){for(int i=0;i<n;i++)for(int j=0;j<n;j++){d s=0;for(int k=0;k<n;k++)s+=A[(size_t)i*n+k]*x[(size_t)k*n+j];y[(size_t)i*n+j]=s;}}
void mm_ikj(const d *restrict A, const d *restrict x, d *restrict y, int n){for(int i=0;i<n;i++){for(int j=0;j<n;j++)y[(size_t)i*n+j]=0;for(int k=0;k<n;k++)for(int j=0;j<n;j++)y[(size_t)i*n+j]+=A[(size_t)i*n+k]*x[(size_t)k*n+j];}}
