/* Loops over matrices: the derivative beside one written by hand in the loop order that is good for it.
 *
 * Each primal is a plain loop; h_ is the adjoint by hand, g_ the engine's. Both are run in turns, and the least time of
 * each counts. The adjoints by hand may reorder their sums, as the engine's may. */
#include <stddef.h>
extern void __enzyme_autodiff(void *, ...);
extern int enzyme_dup, enzyme_const, enzyme_dupnoneed;
#include "matrix_loops.h"
/* hand-written adjoints, good order */
void h_mv_row(const d *restrict A,d *restrict dA,const d *restrict x,d *restrict dx,d *restrict y,d *restrict dy,int n){
  mv_row(A,x,y,n);
  for(int i=0;i<n;i++){d g=dy[i];dy[i]=0;for(int j=0;j<n;j++){dA[(size_t)i*n+j]+=x[j]*g;dx[j]+=A[(size_t)i*n+j]*g;}}}
#define RED _Pragma("clang fp reassociate(on)")
void h_mv_col(const d *restrict A,d *restrict dA,const d *restrict x,d *restrict dx,d *restrict y,d *restrict dy,int n){
  mv_col(A,x,y,n);
  for(int j=0;j<n;j++){RED d s=0,xj=x[j];for(int i=0;i<n;i++){dA[(size_t)j*n+i]+=xj*dy[i];s+=A[(size_t)j*n+i]*dy[i];}dx[j]+=s;}
  for(int i=0;i<n;i++)dy[i]=0;}
void h_mv_colgood(const d *restrict A,d *restrict dA,const d *restrict x,d *restrict dx,d *restrict y,d *restrict dy,int n){
  mv_colgood(A,x,y,n);
  for(int j=0;j<n;j++){RED d s=0,xj=x[j];for(int i=0;i<n;i++){dA[(size_t)j*n+i]+=xj*dy[i];s+=A[(size_t)j*n+i]*dy[i];}dx[j]+=s;}
  for(int i=0;i<n;i++)dy[i]=0;}
void h_tri_low(const d *restrict A,d *restrict dA,const d *restrict x,d *restrict dx,d *restrict y,d *restrict dy,int n){
  tri_low(A,x,y,n);
  for(int i=0;i<n;i++){d g=dy[i];dy[i]=0;for(int j=0;j<=i;j++){dA[(size_t)i*n+j]+=x[j]*g;dx[j]+=A[(size_t)i*n+j]*g;}}}
void h_tri_lowcol(const d *restrict A,d *restrict dA,const d *restrict x,d *restrict dx,d *restrict y,d *restrict dy,int n){
  tri_lowcol(A,x,y,n);
  for(int j=0;j<n;j++){RED d s=0,xj=x[j];for(int i=j;i<n;i++){dA[(size_t)j*n+i]+=xj*dy[i];s+=A[(size_t)j*n+i]*dy[i];}dx[j]+=s;}
  for(int i=0;i<n;i++)dy[i]=0;}
void h_tri_up(const d *restrict A,d *restrict dA,const d *restrict x,d *restrict dx,d *restrict y,d *restrict dy,int n){
  tri_up(A,x,y,n);
  for(int i=0;i<n;i++){d g=dy[i];dy[i]=0;for(int j=i;j<n;j++){dA[(size_t)i*n+j]+=x[j]*g;dx[j]+=A[(size_t)i*n+j]*g;}}}
void h_tri_upcol(const d *restrict A,d *restrict dA,const d *restrict x,d *restrict dx,d *restrict y,d *restrict dy,int n){
  tri_upcol(A,x,y,n);
  for(int j=0;j<n;j++){RED d s=0,xj=x[j];for(int i=0;i<=j;i++){dA[(size_t)j*n+i]+=xj*dy[i];s+=A[(size_t)j*n+i]*dy[i];}dx[j]+=s;}
  for(int i=0;i<n;i++)dy[i]=0;}
void h_solve_row(const d *restrict A,d *restrict dA,const d *restrict x,d *restrict dx,d *restrict y,d *restrict dy,int n){
  solve_row(A,x,y,n);
  for(int i=n-1;i>=0;i--){d g=dy[i]/A[(size_t)i*n+i];dA[(size_t)i*n+i]-=g*y[i];dy[i]=0;dx[i]+=g;for(int j=0;j<i;j++){dA[(size_t)i*n+j]-=y[j]*g;dy[j]-=A[(size_t)i*n+j]*g;}}}
void h_solve_col(const d *restrict A,d *restrict dA,const d *restrict x,d *restrict dx,d *restrict y,d *restrict dy,int n){
  solve_col(A,x,y,n);
  for(int j=n-1;j>=0;j--){RED d s=0,xj=y[j];for(int i=j+1;i<n;i++){dA[(size_t)j*n+i]-=xj*dy[i];s+=A[(size_t)j*n+i]*dy[i];}
    d g=(dy[j]-s)/A[(size_t)j*n+j];dA[(size_t)j*n+j]-=g*y[j];dx[j]+=g;dy[j]=g;}
  for(int i=0;i<n;i++)dy[i]=0;}
void h_back_col(const d *restrict A,d *restrict dA,const d *restrict x,d *restrict dx,d *restrict y,d *restrict dy,int n){
  back_col(A,x,y,n);
  for(int j=0;j<n;j++){RED d s=0,xj=y[j];for(int i=0;i<j;i++){dA[(size_t)j*n+i]-=xj*dy[i];s+=A[(size_t)j*n+i]*dy[i];}
    d g=(dy[j]-s)/A[(size_t)j*n+j];dA[(size_t)j*n+j]-=g*y[j];dx[j]+=g;dy[j]=g;}
  for(int i=0;i<n;i++)dy[i]=0;}
void h_rank1_row(const d *restrict A,d *restrict dA,const d *restrict x,d *restrict dx,d *restrict y,d *restrict dy,int n){
  rank1_row(A,x,y,n);
  for(int i=0;i<n;i++){RED d s=0,xi=x[i];for(int j=0;j<n;j++){d g=dy[(size_t)i*n+j];dy[(size_t)i*n+j]=0;dA[(size_t)i*n+j]+=g;s+=g*x[j];dx[j]+=g*xi;}
   dx[i]+=s;}
}
void h_rank1_col(const d *restrict A,d *restrict dA,const d *restrict x,d *restrict dx,d *restrict y,d *restrict dy,int n){
  rank1_col(A,x,y,n);
  for(int i=0;i<n;i++){RED d s=0,xi=x[i];for(int j=0;j<n;j++){d g=dy[(size_t)i*n+j];dy[(size_t)i*n+j]=0;dA[(size_t)i*n+j]+=g;s+=g*x[j];dx[j]+=g*xi;}dx[i]+=s;}}
void h_mm_ijk(const d *restrict A,d *restrict dA,const d *restrict x,d *restrict dx,d *restrict y,d *restrict dy,int n){
  mm_ijk(A,x,y,n);
  for(int i=0;i<n;i++){for(int k=0;k<n;k++){RED d s=0,a=A[(size_t)i*n+k];for(int j=0;j<n;j++){d g=dy[(size_t)i*n+j];s+=g*x[(size_t)k*n+j];dx[(size_t)k*n+j]+=g*a;}dA[(size_t)i*n+k]+=s;}
   for(int j=0;j<n;j++)dy[(size_t)i*n+j]=0;}}
void h_mm_ikj(const d *restrict A,d *restrict dA,const d *restrict x,d *restrict dx,d *restrict y,d *restrict dy,int n){
  mm_ikj(A,x,y,n);
  for(int i=0;i<n;i++){for(int k=0;k<n;k++){RED d s=0,a=A[(size_t)i*n+k];for(int j=0;j<n;j++){d g=dy[(size_t)i*n+j];s+=g*x[(size_t)k*n+j];dx[(size_t)k*n+j]+=g*a;}dA[(size_t)i*n+k]+=s;}
   for(int j=0;j<n;j++)dy[(size_t)i*n+j]=0;}}
#define G(f) void g_##f(const d*A,d*dA,const d*x,d*dx,d*y,d*dy,int n){__enzyme_autodiff((void*)f,enzyme_dup,A,dA,enzyme_dup,x,dx,enzyme_dup,y,dy,enzyme_const,n);}
#define ALL(M) M(mv_row) M(mv_col) M(mv_colgood) M(tri_low) M(tri_lowcol) M(tri_up) M(tri_upcol) M(solve_row) M(solve_col) M(back_col) M(rank1_row) M(rank1_col) M(mm_ijk) M(mm_ikj)
ALL(G)
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <time.h>
static double now(void){struct timespec t;clock_gettime(CLOCK_MONOTONIC,&t);return t.tv_sec+1e-9*t.tv_nsec;}
typedef void F(const d*,d*,const d*,d*,d*,d*,int); typedef void P(const d*,const d*,d*,int);
static d *A,*X,*Y,*gA[2],*gX[2],*gY[2];
static void bench(const char*name,P*p,F*g,F*h,int n,int reps){
  size_t s=(size_t)n*n; double best[3]={1e9,1e9,1e9}; F*f[2]={g,h};
  for(int r=0;r<reps;r++)for(int k=0;k<3;k++){
    if(k==2){double t=now();p(A,X,Y,n);t=now()-t;if(t<best[2])best[2]=t;continue;}
    memset(gA[k],0,s*8);memset(gX[k],0,s*8);for(size_t i=0;i<s;i++)gY[k][i]=sin(i*0.7);
    double t=now();f[k](A,gA[k],X,gX[k],Y,gY[k],n);t=now()-t;if(t<best[k])best[k]=t;}
  double e=0;for(size_t i=0;i<s;i++){double v=fabs(gA[0][i]-gA[1][i])/(1+fabs(gA[1][i])),w=fabs(gX[0][i]-gX[1][i])/(1+fabs(gX[1][i]));if(v>e)e=v;if(w>e)e=w;}
  printf("%-10s n=%4d primal %8.1f us  ours %8.1f  hand %8.1f  ours/hand %.2f  ours/primal %.2f err %.1e\n",name,n,best[2]*1e6,best[0]*1e6,best[1]*1e6,best[0]/best[1],best[0]/best[2],e);}
int main(void){int N=512;size_t s=(size_t)N*N;
 A=malloc(8*s);X=malloc(8*s);Y=malloc(8*s);for(int k=0;k<2;k++){gA[k]=malloc(8*s);gX[k]=malloc(8*s);gY[k]=malloc(8*s);}
 for(size_t i=0;i<s;i++){A[i]=cos(i*0.3)/N+(i%(N+1)==0?2:0);X[i]=sin(i*1.1);Y[i]=0;}
#define B(f) {int mm=!strncmp(#f,"mm",2);bench(#f,f,g_##f,h_##f,mm?96:512,mm?100:60);}
 ALL(B) return 0;}
