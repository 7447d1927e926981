! Programs as people write them in Fortran. Every function takes n numbers and gives one.
module everyday
  use iso_c_binding, only: dp => c_double, c_int, c_ptr, c_f_pointer
  implicit none
  type particle
    real(dp) :: pos(3)
    real(dp) :: vel(3)
    real(dp) :: mass
  end type
  type node
    real(dp) :: value
    type(node), pointer :: next => null()
  end type
  type, abstract :: shape
  contains
    procedure(area_of), deferred :: area
  end type
  type, extends(shape) :: circle
    real(dp) :: r
  contains
    procedure :: area => circle_area
  end type
  type, extends(shape) :: rect
    real(dp) :: a, b
  contains
    procedure :: area => rect_area
  end type
  abstract interface
    function area_of(this) result(res)
      import shape, dp
      class(shape), intent(in) :: this
      real(dp) :: res
    end function
    function scalar_fn(t) result(res)
      import dp
      real(dp), intent(in) :: t
      real(dp) :: res
    end function
  end interface
  real(dp), parameter :: pi = 3.14159265358979_dp
  real(dp), save :: table(8) = [1,2,3,4,5,6,7,8]*0.1_dp
contains
  function circle_area(this) result(res)
    class(circle), intent(in) :: this
    real(dp) :: res
    res = pi*this%r**2
  end function
  function rect_area(this) result(res)
    class(rect), intent(in) :: this
    real(dp) :: res
    res = this%a*this%b
  end function
  real(dp) function norm(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    norm = sqrt(sum(x**2))
  end function
  real(dp) function logistic(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: z
    integer :: i, m
    m = (n-8)/9
    logistic = 0
    do i = 1, m
      z = dot_product(x(1:8), x(9+(i-1)*9:16+(i-1)*9)) * sign(1.0_dp, x(17+(i-1)*9)-0.5_dp)
      logistic = logistic + log(1 + exp(-z))
    end do
    logistic = logistic/m + 0.01_dp*sum(x(1:8)**2)
  end function
  real(dp) function mlp(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: w1(8,16), b1(8), w2(4,8), h(8), o(4)
    w1 = reshape(x(1:128), [8,16])
    b1 = x(129:136)
    w2 = reshape(x(137:168), [4,8])
    h = tanh(matmul(w1, x(169:184)) + b1)
    o = matmul(w2, h)
    o = exp(o - maxval(o))
    mlp = -log(o(2)/sum(o))
  end function
  real(dp) function mixture(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: t(8), m
    integer :: i, k
    mixture = 0
    do i = 25, n
      do k = 1, 8
        t(k) = x(k) - 0.5_dp*((x(i)-x(8+k))/x(16+k))**2 - log(x(16+k))
      end do
      m = maxval(t)
      mixture = mixture + m + log(sum(exp(t-m)))
    end do
  end function
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
  real(dp) function image(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: k(3,3)
    real(dp), allocatable :: im(:,:), out(:,:)
    integer :: i, j, w
    w = nint(sqrt(real(n-9, dp)))
    k = reshape(x(1:9), [3,3])
    im = reshape(x(10:9+w*w), [w,w])
    allocate(out(w,w))
    out = 0
    do concurrent (j = 2:w-1, i = 2:w-1)
      out(i,j) = sum(k*im(i-1:i+1, j-1:j+1))
    end do
    where (out > 0)
      out = out
    elsewhere
      out = 0.1_dp*out
    end where
    image = sum(out**2)
  end function
  real(dp) function bodies(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    type(particle), allocatable :: p(:)
    integer :: i, j, m
    real(dp) :: d(3)
    m = n/7
    allocate(p(m))
    do i = 1, m
      p(i)%pos = x(7*i-6:7*i-4)
      p(i)%vel = x(7*i-3:7*i-1)
      p(i)%mass = x(7*i)
    end do
    bodies = 0
    do i = 1, m
      bodies = bodies + 0.5_dp*p(i)%mass*dot_product(p(i)%vel, p(i)%vel)
      do j = i+1, m
        d = p(i)%pos - p(j)%pos
        bodies = bodies - p(i)%mass*p(j)%mass/norm2(d)
      end do
    end do
  end function
  subroutine rhs(t, y, dydt)
    real(dp), intent(in) :: t, y(:)
    real(dp), intent(out) :: dydt(:)
    dydt(1) = y(2)
    dydt(2) = -y(3)*sin(y(1)) - y(4)*y(2) + y(5)*cos(t)
    dydt(3:5) = 0
  end subroutine
  real(dp) function pendulum(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: y(5), k1(5), k2(5), k3(5), k4(5), h, t
    integer :: s
    y = x(1:5)
    h = 0.01_dp
    do s = 1, 100
      t = s*h
      call rhs(t, y, k1)
      call rhs(t+h/2, y+h/2*k1, k2)
      call rhs(t+h/2, y+h/2*k2, k3)
      call rhs(t+h, y+h*k3, k4)
      y = y + h/6*(k1+2*k2+2*k3+k4)
    end do
    pendulum = y(1)**2 + y(2)**2
  end function
  real(dp) function roots(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: r, step
    integer :: i
    roots = 0
    do i = 1, n
      r = 1
      do
        step = (r*r*r - x(i) - r)/(3*r*r - 1)
        r = r - step
        if (abs(step) < 1e-12_dp) exit
      end do
      roots = roots + r
    end do
  end function
  real(dp) function cholesky(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp), allocatable :: a(:,:)
    integer :: i, j, m
    m = nint(sqrt(real(n, dp)))
    a = reshape(x(1:m*m), [m,m])
    a = matmul(a, transpose(a))
    do i = 1, m
      a(i,i) = a(i,i) + m
    end do
    cholesky = 0
    do j = 1, m
      a(j,j) = sqrt(a(j,j) - dot_product(a(j,1:j-1), a(j,1:j-1)))
      cholesky = cholesky + 2*log(a(j,j))
      do i = j+1, m
        a(i,j) = (a(i,j) - dot_product(a(i,1:j-1), a(j,1:j-1)))/a(j,j)
      end do
    end do
  end function
  real(dp) function shapes(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    class(shape), allocatable :: s
    integer :: i
    shapes = 0
    do i = 1, n-1
      if (mod(i,2) == 0) then
        s = circle(x(i))
      else
        s = rect(x(i), x(i+1))
      end if
      shapes = shapes + s%area()
    end do
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
  recursive real(dp) function tree(x, n) bind(C) result(res)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    if (n == 1) then
      res = x(1)
    else
      res = tree(x(1:n/2), n/2)*cos(tree(x(n/2+1:n), n - n/2))
    end if
  end function
  real(dp) function product_of(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    product_of = product(1 + 0.1_dp*x)
  end function
  real(dp) function warping(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp), allocatable :: d(:,:)
    integer :: i, j, m
    m = n/2
    allocate(d(0:m,0:m))
    d = 1e10_dp
    d(0,0) = 0
    do j = 1, m
      do i = 1, m
        d(i,j) = (x(i)-x(m+j))**2 + min(d(i-1,j), d(i,j-1), d(i-1,j-1))
      end do
    end do
    warping = d(m,m)
  end function
  real(dp) function spectrum(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    complex(dp) :: c
    integer :: k, j
    spectrum = 0
    do k = 0, n/2
      c = 0
      do j = 1, n
        c = c + x(j)*exp(cmplx(0, -2*pi*k*(j-1)/n, dp))
      end do
      spectrum = spectrum + k*abs(c)**2
    end do
    spectrum = spectrum/n**2
  end function
  real(dp) function quad(f, a, b, n)
    procedure(scalar_fn) :: f
    real(dp), intent(in) :: a, b
    integer, intent(in) :: n
    integer :: i
    quad = 0.5_dp*(f(a)+f(b))
    do i = 1, n-1
      quad = quad + f(a + i*(b-a)/n)
    end do
    quad = quad*(b-a)/n
  end function
  real(dp) function integral(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    integral = quad(f, 0.0_dp, x(1), 20)
  contains
    function f(t) result(res)
      real(dp), intent(in) :: t
      real(dp) :: res
      integer :: i
      res = 0
      do i = n, 1, -1
        res = res*t + x(i)
      end do
    end function
  end function
  elemental real(dp) function softplus(t)
    real(dp), intent(in) :: t
    if (t > 20) then
      softplus = t
    else
      softplus = log(1+exp(t))
    end if
  end function
  real(dp) function elementwise(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    elementwise = sum(softplus(3*x - 1), mask = x > 0.3_dp) + maxval(x)*minval(x)
  end function
  subroutine lu_solve(a, b)
    real(dp), intent(inout) :: a(:,:), b(:)
    integer :: i, j, k, n, p
    real(dp) :: t
    real(dp), allocatable :: row(:)
    n = size(b)
    do k = 1, n
      p = k - 1 + maxloc(abs(a(k:n,k)), 1)
      if (p /= k) then
        row = a(k,:); a(k,:) = a(p,:); a(p,:) = row
        t = b(k); b(k) = b(p); b(p) = t
      end if
      do i = k+1, n
        a(i,k) = a(i,k)/a(k,k)
        a(i,k+1:n) = a(i,k+1:n) - a(i,k)*a(k,k+1:n)
        b(i) = b(i) - a(i,k)*b(k)
      end do
    end do
    do i = n, 1, -1
      b(i) = (b(i) - dot_product(a(i,i+1:n), b(i+1:n)))/a(i,i)
    end do
  end subroutine
  real(dp) function solve(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp), allocatable :: a(:,:), b(:)
    integer :: m
    m = 5
    a = reshape(x(1:25), [5,5])
    b = x(26:30)
    call lu_solve(a, b)
    solve = sum(b**2)
  end function
  real(dp) function tabled(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    integer :: i, c
    real(dp) :: w
    tabled = 0
    do i = 1, n
      c = 1 + mod(i, 8)
      select case (mod(i, 4))
      case (0)
        w = table(c)
      case (1)
        w = x(i)*table(c)
      case default
        w = exp(-x(i))
      end select
      tabled = tabled + w*x(i)
    end do
  end function
  real(dp) function singles(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real :: y(n), s
    integer :: i
    y = real(x)
    s = 0
    do i = 2, n
      s = s + y(i)*y(i-1) + atan2(y(i), y(i-1))
    end do
    singles = s
  end function
end module
module intr
  use iso_c_binding, only: dp => c_double, c_int
  implicit none
  type layer
    real(dp), allocatable :: w(:,:), b(:)
    integer :: kind = 1
  end type
contains
  real(dp) function shifts(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    shifts = sum(cshift(x, 1)*x) + sum(eoshift(x, -2)*x)
  end function
  real(dp) function packed(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp), allocatable :: p(:)
    p = pack(x, x > 0.4_dp)
    packed = sum(p**2)*size(p)
  end function
  real(dp) function spreads(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp) :: d(n,n)
    d = spread(x, 1, n) - spread(x, 2, n)
    spreads = sum(exp(-d**2))
  end function
  real(dp) function partial_sums(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp), allocatable :: a(:,:)
    real(dp) :: s(n/5)
    a = reshape(x(1:n/5*5), [n/5, 5])
    s = sum(a, dim=2)
    partial_sums = sum(s**2) + sum(maxval(a, dim=1)) + product(sum(a, dim=1)*0.1_dp) + count(a > 0.5_dp)
    if (any(a > 10)) partial_sums = 0
    if (all(a > -10)) partial_sums = partial_sums + 1
  end function
  real(dp) function matrices(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp), allocatable :: a(:,:), b(:,:), c(:,:)
    integer :: m
    m = nint(sqrt(real(n,dp)))
    a = reshape(x(1:m*m), [m,m])
    b = transpose(a)
    c = matmul(a, matmul(b, a))
    matrices = sum(c**2) + norm2(a) + dot_product(matmul(a, x(1:m)), matmul(x(1:m), b))
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
  real(dp) function powers(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    integer :: i
    powers = 0
    do i = 1, n
      powers = powers + x(i)**i + x(i)**2.5_dp + modulo(-7*x(i), 0.3_dp+x(i)) + mod(-7*x(i), 0.3_dp+x(i)) + erf(x(i)) + gamma(x(i)+1) + bessel_j0(x(i)) + hypot(x(i), 1.0_dp) + aint(3*x(i))*x(i) + anint(x(i)) + dim(x(i), 0.5_dp) + scale(x(i), 2) + fraction(x(i)) + floor(x(i)*9)*x(i)
    end do
  end function
  real(dp) function printing(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    printing = sum(x**2)
    if (printing < 0) then
      print *, 'negative', printing, x(1)
      error stop 'bad'
    end if
    if (n < 0) stop 'n'
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
  real(dp) function zmat(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    complex(dp) :: z(n/2), w
    z = cmplx(x(1:n/2), x(n/2+1:n/2*2), dp)
    w = dot_product(z, z**2) + sum(sqrt(z))*product(z)
    zmat = real(w*conjg(w)) + abs(sum(exp(z))) + aimag(sum(log(z)))
  end function
  subroutine assumed(a, s)
    real(dp), intent(in) :: a(:,:)
    real(dp), intent(out) :: s
    integer :: i, j
    s = 0
    do j = 1, size(a,2)
      do i = 1, size(a,1)
        s = s + a(i,j)**2*i/j
      end do
    end do
  end subroutine
  real(dp) function sections(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in), target :: x(n)
    real(dp), pointer :: m(:,:), r(:)
    real(dp) :: s
    m(1:n/4, 1:4) => x
    call assumed(m(1:n/4:2, 2:4), s)
    r => m(2,:)
    sections = s + sum(r**3)
  end function
  real(dp) function optional_arg(x, w)
    real(dp), intent(in) :: x
    real(dp), intent(in), optional :: w
    optional_arg = x**2
    if (present(w)) optional_arg = optional_arg*w
  end function
  real(dp) function optionals(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    optionals = optional_arg(x(1)) + optional_arg(x(2), x(3))
  end function
end module
module nasty
  use iso_c_binding, only: dp => c_double, c_int
  implicit none
  type leaf
    real(dp) :: v = 2
    real(dp), allocatable :: w(:)
    integer :: tag = 7
  end type
contains
  real(dp) function reversed(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp), allocatable :: a(:), m(:,:)
    integer :: i
    a = x
    a = a(n:1:-1)
    a(2:n) = a(1:n-1)
    a(1:n-1) = a(2:n)*x(1:n-1)
    a(1:n:2) = a(n:1:-2)
    m = reshape(a(1:n/2*2), [2, n/2])
    m = m(2:1:-1, :)
    m(:, 2:) = m(:, :n/2-1)
    a = a(2:n/2)
    reversed = 0
    do i = 1, size(a)
      reversed = reversed + i*a(i)
    end do
    reversed = reversed + sum(m(1,:)**2) + 3*sum(m(2,:))
  end function
  function positive(x) result(y)
    real(dp), intent(in) :: x(:)
    real(dp), allocatable :: y(:)
    y = pack(x, x > 0.5_dp)
  end function
  real(dp) function picked(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp), allocatable :: p(:), q(:,:), s
    real(dp) :: u(n)
    logical :: m(n)
    integer :: k(1)
    p = positive(x)
    s = sum(p)
    m = x > 0.5_dp
    u = unpack(p**2, m, x)
    k = maxloc(x)
    q = reshape(x(1:n/2), [3, n/4], pad=[x(n), 1.5_dp], order=[2,1])
    picked = s*sum(u) + x(k(1)) + x(minloc(x, 1)) + sum(q(2,:)**2) + sum(q(:,1)) &
      + dot_product(eoshift(x, 2, boundary=x(1)), x) + sum(cshift(q, 1, dim=2)*q) &
      + sum(eoshift(q, -1, dim=1)*q) + sum(sum(q, dim=1, mask=q>0.4_dp)**2) + sum(norm2(q, dim=2)) &
      + sum(merge(x, x**2, m)) + product(p) + count(m) + sum(minval(q, dim=2)) + sum(spread(x(1:3), 2, 2)**2)
  end function
  real(dp) function texts(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    character(:), allocatable :: s
    character(6) :: fixed(2)
    s = 'sin'
    if (x(1) > 0.5_dp) s = 'cosine'
    fixed = s
    fixed(2) = 'tan'
    texts = 0
    if (s == 'sin') then
      texts = sin(x(1))
    else if (fixed(1) == 'cosine') then
      texts = cos(x(1))
    end if
    if (fixed(2) == 'tan') texts = texts + tan(x(2))
    texts = texts*len(s)
  end function
  real(dp) function series(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp), allocatable :: v(:)
    integer :: i
    v = [(x(i)**2, sin(x(i)), i = 1, n), 1.0_dp, x(1:n:2)]
    series = dot_product(v, v(size(v):1:-1)) + size(v)
    v = [real(dp) ::]
    series = series + size(v)
    do while (size(v) < 5)
      v = [v, x(size(v)+1)]
    end do
    series = series + norm2(v)
  end function
  real(dp) function shifted(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    type(leaf), allocatable :: t(:), u(:)
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
  real(dp) function turned(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    type(leaf), allocatable :: t(:), u(:)
    integer :: i, k
    allocate(t(n))
    do i = 1, n
      t(i)%v = x(i)**2
    end do
    u = t(n:1:-1)
    t = u
    t(1) = t(2)
    turned = 0
    do i = 1, n
      turned = turned + i*t(i)%v
    end do
  end function
end module
module copying
  use iso_c_binding, only: dp => c_double, c_int
  implicit none
contains
  subroutine scale_all(k, v)
    integer, intent(in) :: k
    real(dp), intent(inout) :: v(k)
    integer :: i
    do i = 1, k
      v(i) = v(i)**2 + i*v(1)
    end do
  end subroutine
  real(dp) function total(k, v)
    integer, intent(in) :: k
    real(dp), intent(in) :: v(k)
    total = sum(sin(v))
  end function
  real(dp) function copied(x, n) bind(C)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    real(dp), allocatable :: m(:,:)
    real(dp), pointer :: p(:)
    real(dp), target :: t(n)
    integer :: s
    allocate(m(4, n/4), stat=s)
    if (s /= 0) stop 1
    m = reshape(x(1:n/4*4), [4, n/4])
    call scale_all(n/4, m(2, :))
    call scale_all(2, m(1:4:2, 1))
    t = x
    p => t(n:1:-2)
    call scale_all(size(p), p)
    copied = sum(m) + total(n/4, m(3, :)) + sum(t) + total(size(p), p)
    allocate(m(2,2), stat=s)
    if (s /= 0) copied = copied + 1
    deallocate(m)
    deallocate(m, stat=s)
    if (s /= 0) copied = copied*2
  end function
end module
module constructing
  use iso_c_binding, only: dp => c_double, c_int
  implicit none
  type leaf
    real(dp), allocatable :: w(:)
    real(dp) :: v = 1
  end type
contains
  type(leaf) function made(x, k)
    real(dp), intent(in) :: x
    integer, intent(in) :: k
    integer :: i
    made%v = x
    made%w = [(x*i, i = 1, k)]
  end function
  real(dp) function constructed(x, n) bind(c)
    integer(c_int), value :: n
    real(dp), intent(in) :: x(n)
    type(leaf), allocatable :: a(:)
    type(leaf) :: one
    integer :: i
    allocate(a(0))
    do i = 1, n
    one = made(x(i), i)
    a = [a, one]
    end do
    a = [(made(a(i)%v, 2), i = 1, n), a]
    one = leaf(x(1:3), x(2)**2)
    a(1) = one
    constructed = 0
    do i = 1, size(a)
    constructed = constructed + i*a(i)%v + sum(a(i)%w**2)
    end do
  end function
end module
