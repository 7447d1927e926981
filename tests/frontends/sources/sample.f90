! A part of everyday.f90. IR that flang 22.1 makes of it with -O1 lies beside it, for machines without flang:
! flang-22 -O1 -S -emit-llvm -o sample.ll sample.f90
module sample
  use iso_c_binding, only: dp => c_double, c_int
  implicit none
  type leaf
    real(dp) :: v = 2
    real(dp), allocatable :: w(:)
    integer :: tag = 7
  end type
  type layer
    real(dp), allocatable :: w(:,:), b(:)
    integer :: kind = 1
  end type
  type node
    real(dp) :: value
    type(node), pointer :: next => null()
  end type
contains
  real(dp) function heat(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp), allocatable :: u(:), v(:)
    integer :: s
    allocate(u(n), v(n))
    u = x
    do s = 1, 20
      v(1) = u(1); v(n) = u(n)
      v(2:n-1) = u(2:n-1) + 0.2_dp*(u(1:n-2) - 2*u(2:n-1) + u(3:n))
      u = v
    end do
    heat = sum(u**2)
  end function
  real(dp) function list(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    type(node), pointer :: head, p
    integer :: i
    nullify(head)
    do i = 1, n
      allocate(p)
      p%value = x(i)
      p%next => head
      head => p
    end do
    list = 0
    p => head
    do while (associated(p))
      list = list*0.5_dp + sin(p%value)
      p => p%next
    end do
    do while (associated(head))
      p => head%next
      deallocate(head)
      head => p
    end do
  end function
  real(dp) function packed(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp), allocatable :: p(:)
    p = pack(x, x > 0.4_dp)
    packed = sum(p**2)*size(p)
  end function
  real(dp) function layers(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    type(layer), allocatable :: net(:)
    real(dp), allocatable :: h(:)
    integer :: l, k
    allocate(net(3))
    k = 0
    do l = 1, 3
      allocate(net(l)%w(4,4), net(l)%b(4))
      net(l)%w = reshape(x(k+1:k+16), [4,4]); k = k+16
      net(l)%b = x(k+1:k+4); k = k+4
    end do
    h = x(k+1:k+4)
    do l = 1, size(net)
      h = tanh(matmul(net(l)%w, h) + net(l)%b)
    end do
    layers = sum(h)
  end function
  real(dp) function copies(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    type(layer) :: a, b
    a%b = x
    b = a
    b%b(1) = b%b(1)**2
    a%b = 2*a%b
    copies = sum(a%b*b%b)
  end function
  real(dp) function grown(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp), allocatable :: v(:), t(:)
    integer :: i
    allocate(v(0))
    do i = 1, n
      v = [v, x(i)**2]
    end do
    allocate(t(2*n))
    t(1:n) = v; t(n+1:) = 1
    call move_alloc(t, v)
    grown = sum(v*v)
  end function
  real(dp) function shifted(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    type(leaf), allocatable :: t(:)
    integer :: i, k
    allocate(t(n))
    do i = 1, n
      t(i)%v = x(i)**2
      allocate(t(i)%w(i))
      t(i)%w = x(i)*[(2*k, k = 1, i)]
    end do
    t(2:n) = t(1:n-1)
    shifted = 0
    do i = 1, n
      shifted = shifted + i*t(i)%v
      if (allocated(t(i)%w)) shifted = shifted + sum(t(i)%w**2)
    end do
  end function
end module
