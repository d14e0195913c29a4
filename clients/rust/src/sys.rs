//! The two calls of the system that the standard library has not got.

use std::net::TcpStream;

#[cfg(any(
    all(target_os = "linux", not(any(target_arch = "mips", target_arch = "mips64"))),
    target_os = "macos",
    target_os = "freebsd"
))]
#[allow(unsafe_code)]
mod calls {
    use std::io;
    use std::os::raw::{c_int, c_void};
    use std::os::unix::io::RawFd;

    #[cfg(target_os = "linux")]
    const SOL_SOCKET: c_int = 1;
    #[cfg(target_os = "linux")]
    const SO_KEEPALIVE: c_int = 9;
    #[cfg(target_os = "linux")]
    const MSG_DONTWAIT: c_int = 0x40;
    #[cfg(not(target_os = "linux"))]
    const SOL_SOCKET: c_int = 0xffff;
    #[cfg(not(target_os = "linux"))]
    const SO_KEEPALIVE: c_int = 8;
    #[cfg(not(target_os = "linux"))]
    const MSG_DONTWAIT: c_int = 0x80;
    const MSG_PEEK: c_int = 2;

    extern "C" {
        fn setsockopt(
            socket: c_int,
            level: c_int,
            name: c_int,
            value: *const c_void,
            length: u32,
        ) -> c_int;
        fn recv(socket: c_int, buffer: *mut c_void, length: usize, flags: c_int) -> isize;
    }

    pub(super) fn keep_alive(socket: RawFd) {
        let on: c_int = 1;
        let value: *const c_int = &on;
        // SAFETY: the value is a c_int of the length that is told, and the caller's socket is open.
        // A system that refuses is as before.
        unsafe {
            setsockopt(
                socket,
                SOL_SOCKET,
                SO_KEEPALIVE,
                value.cast(),
                std::mem::size_of::<c_int>() as u32,
            )
        };
    }

    pub(super) fn is_quiet(socket: RawFd) -> bool {
        let mut one = 0u8;
        let buffer: *mut u8 = &mut one;
        // SAFETY: the buffer has the one byte that is told, and the caller's socket is open.
        let count = unsafe { recv(socket, buffer.cast(), 1, MSG_PEEK | MSG_DONTWAIT) };
        count < 0 && io::Error::last_os_error().kind() == io::ErrorKind::WouldBlock
    }
}

#[cfg(any(
    all(target_os = "linux", not(any(target_arch = "mips", target_arch = "mips64"))),
    target_os = "macos",
    target_os = "freebsd"
))]
mod sockets {
    use std::os::unix::io::AsRawFd;

    use super::{calls, TcpStream};

    /// Lets the system look whether the other end is still there.
    pub(crate) fn keep_alive(socket: &TcpStream) {
        calls::keep_alive(socket.as_raw_fd());
    }

    /// Whether there is nothing to read from a socket, not even its end.
    pub(crate) fn is_quiet(socket: &impl AsRawFd) -> bool {
        calls::is_quiet(socket.as_raw_fd())
    }
}

#[cfg(not(any(
    all(target_os = "linux", not(any(target_arch = "mips", target_arch = "mips64"))),
    target_os = "macos",
    target_os = "freebsd"
)))]
mod sockets {
    use super::TcpStream;

    pub(crate) fn keep_alive(_: &TcpStream) {}

    pub(crate) fn is_quiet<T>(_: &T) -> bool {
        true
    }
}

pub(crate) use sockets::{is_quiet, keep_alive};
