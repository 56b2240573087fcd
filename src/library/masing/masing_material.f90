! The functions of masing/material.h for Fortran 2018. The comments there say what they do. Compile
! this file with your program, and link with libmasing_material. Objects are of type(c_ptr); null is
! c_null_ptr. An optional argument that is left out is a null pointer in C. End a text with
! c_null_char.
module masing_material
  use, intrinsic :: iso_c_binding
  implicit none
  integer(c_int), parameter :: MASING_DONE = 0, MASING_FAILURE = 1, MASING_MISTAKE = 2

  interface
    type(c_ptr) function masing_material_of_springs(n, stiffness, threshold, threshold_down, &
                                                    initial_u, k0) bind(c)
      import; integer(c_size_t), value :: n
      real(c_double), intent(in) :: stiffness(*), threshold(*)
      real(c_double), intent(in), optional :: threshold_down(*), initial_u(*)
      real(c_double), value :: k0
    end function
    type(c_ptr) function masing_material_continuum(stiffness, threshold, threshold_down, &
                                                   initial_u, k0) bind(c)
      import; character(kind=c_char), intent(in), optional :: stiffness(*), threshold(*)
      character(kind=c_char), intent(in), optional :: threshold_down(*), initial_u(*)
      real(c_double), value :: k0
    end function
    integer(c_int64_t) function masing_material_fingerprint(material) bind(c)
      import; type(c_ptr), value :: material; end function
    type(c_ptr) function masing_point_new(material, x) bind(c)
      import; type(c_ptr), value :: material
      real(c_double), value :: x
    end function
    type(c_ptr) function masing_point_copy(point) bind(c)
      import; type(c_ptr), value :: point; end function
    integer(c_int) function masing_point_set_trial(point, x, force, stiffness) bind(c)
      import; type(c_ptr), value :: point
      real(c_double), value :: x
      real(c_double), intent(out), optional :: force, stiffness
    end function
    real(c_double) function masing_point_elongation(point, threshold) bind(c)
      import; type(c_ptr), value :: point
      real(c_double), value :: threshold
    end function
    type(c_ptr) function masing_last_error() bind(c); import; end function
    type(c_ptr) function masing_version() bind(c); import; end function
    subroutine masing_material_free(material) bind(c)
      import; type(c_ptr), value :: material; end subroutine
    subroutine masing_point_free(point) bind(c)
      import; type(c_ptr), value :: point; end subroutine
    real(c_double) function masing_material_elastic_stiffness(material) bind(c)
      import; type(c_ptr), value :: material; end function
    real(c_double) function masing_point_position(point) bind(c)
      import; type(c_ptr), value :: point; end function
    real(c_double) function masing_point_force(point) bind(c)
      import; type(c_ptr), value :: point; end function
    real(c_double) function masing_point_stored_energy(point) bind(c)
      import; type(c_ptr), value :: point; end function
    real(c_double) function masing_point_dissipated_energy(point) bind(c)
      import; type(c_ptr), value :: point; end function
    integer(c_size_t) function masing_point_state_size(point) bind(c)
      import; type(c_ptr), value :: point; end function
    integer(c_int) function masing_point_commit(point) bind(c)
      import; type(c_ptr), value :: point; end function
    integer(c_int) function masing_point_revert_to_last(point) bind(c)
      import; type(c_ptr), value :: point; end function
    integer(c_int) function masing_point_revert_to_start(point) bind(c)
      import; type(c_ptr), value :: point; end function
    integer(c_int) function masing_point_state(point, state, n) bind(c)
      import; type(c_ptr), value :: point
      real(c_double), intent(out) :: state(*)
      integer(c_size_t), value :: n
    end function
    integer(c_int) function masing_point_restore(point, state, n) bind(c)
      import; type(c_ptr), value :: point
      real(c_double), intent(in) :: state(*)
      integer(c_size_t), value :: n
    end function
  end interface

contains

  ! Returns a text of masing_last_error or masing_version.
  function masing_text(text) result(copy)
    type(c_ptr), intent(in) :: text
    character(len=:), allocatable :: copy
    character(kind=c_char), pointer :: letters(:)
    integer :: n
    call c_f_pointer(text, letters, [4096])
    n = 0
    do while (letters(n + 1) /= c_null_char)
      n = n + 1
    end do
    allocate (character(len=n) :: copy)
    copy = transfer(letters(:n), copy)
  end function
end module
