! The material of masing in Fortran: points that are tried, moved, saved and restored, as a program of
! finite elements does. It prints lines "name value".
!
!     gfortran $PREFIX/include/masing/masing_material.f90 material.f90
!         -L$PREFIX/lib -Wl,-rpath,$PREFIX/lib -lmasing_material -o material
!
program material
  use, intrinsic :: ieee_arithmetic, only: ieee_positive_inf, ieee_value
  use, intrinsic :: iso_c_binding
  use masing_material
  implicit none
  integer(c_size_t), parameter :: n = 3
  real(c_double), parameter :: zero = 0
  real(c_double) :: x(n) = [0.3d0, -0.5d0, 1.2d0], force(n), again(n), slope(n)
  real(c_double) :: one_force, one_slope
  real(c_double), allocatable :: state(:)
  type(c_ptr) :: slab, springs, point, copy, points(n)
  integer :: step, i

  slab = masing_material_continuum("2-s" // c_null_char, "0.2+0.5*s" // c_null_char, k0=0.1d0)
  call require(slab)
  springs = masing_material_of_springs(2_c_size_t, [2d0, 1d0], [0.1d0, 0.4d0], &
                                       initial_u=[0.05d0, 0d0], k0=0.5d0)
  call require(springs)
  print "(2a)", "version ", masing_text(masing_version())
  call show("stiffness", [masing_material_elastic_stiffness(slab), &
                          masing_material_elastic_stiffness(springs)])
  print "(a, i0)", "fingerprint ", masing_material_fingerprint(slab)

  ! One point: a trial is discarded, another one is committed.
  point = masing_point_new(springs, zero)
  call check(masing_point_set_trial(point, 9d0))
  call check(masing_point_revert_to_last(point))
  call check(masing_point_set_trial(point, 0.8d0, one_force, one_slope))
  call check(masing_point_commit(point))
  call show("point", [masing_point_position(point), masing_point_force(point), one_force, one_slope, &
                      masing_point_stored_energy(point), masing_point_dissipated_energy(point), &
                      masing_point_elongation(point, 0.4d0)])
  copy = masing_point_copy(point)
  allocate (state(masing_point_state_size(point)))
  call check(masing_point_state(point, state, size(state, kind=c_size_t)))
  call check(masing_point_revert_to_start(point))
  call show("start", [masing_point_position(point), masing_point_force(copy)])
  call check(masing_point_restore(point, state, size(state, kind=c_size_t)))
  call show("restored", [masing_point_force(point) - masing_point_force(copy)])

  ! Points of one material, as those of the elements of a mesh: 50 steps, of which each is tried before.
  points = [(masing_point_new(slab, zero), i = 1, n)]
  do step = 1, 50
    do i = 1, n
      call check(masing_point_set_trial(points(i), x(i) * sin(0.5d0 * step), again(i)))
      call check(masing_point_revert_to_last(points(i)))
      call check(masing_point_set_trial(points(i), x(i) * sin(0.5d0 * step), force(i), slope(i)))
      call check(masing_point_commit(points(i)))
    end do
    if (any(abs(force - again) > zero)) stop 1
    call show("force", force)
  end do
  call show("slope", slope)

  ! A mistake: the result is not MASING_DONE, and a text says what is wrong.
  if (masing_point_set_trial(point, ieee_value(zero, ieee_positive_inf)) /= MASING_MISTAKE) stop 1
  print "(2a)", "mistake ", masing_text(masing_last_error())
  do i = 1, n
    call masing_point_free(points(i))
  end do
  call masing_point_free(copy)
  call masing_point_free(point)
  call masing_material_free(springs)
  call masing_material_free(slab)

contains

  subroutine check(status)
    integer(c_int), intent(in) :: status
    if (status /= MASING_DONE) error stop masing_text(masing_last_error())
  end subroutine

  subroutine require(object)
    type(c_ptr), intent(in) :: object
    if (.not. c_associated(object)) error stop masing_text(masing_last_error())
  end subroutine

  subroutine show(name, values)
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: values(:)
    print "(a, *(1x, es24.16e3))", name, values
  end subroutine
end program
