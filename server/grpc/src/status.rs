//! How a call ended.

use std::fmt;

use http::HeaderMap;
use percent_encoding::percent_decode;

/// The end of a call that has no answer.
#[derive(Debug, Clone)]
pub struct Status {
    code: Code,
    message: String,
    is_disconnected: bool,
}

/// A code of gRPC: a number with a name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Code(usize);

/// In the order of their numbers.
const NAMES: [&str; 17] = [
    "Ok",
    "Cancelled",
    "Unknown",
    "InvalidArgument",
    "DeadlineExceeded",
    "NotFound",
    "AlreadyExists",
    "PermissionDenied",
    "ResourceExhausted",
    "FailedPrecondition",
    "Aborted",
    "OutOfRange",
    "Unimplemented",
    "Internal",
    "Unavailable",
    "DataLoss",
    "Unauthenticated",
];

impl Status {
    pub fn new(code: Code, message: impl Into<String>) -> Status {
        Status {
            code,
            message: message.into(),
            is_disconnected: false,
        }
    }

    pub fn code(&self) -> Code {
        self.code
    }

    pub fn message(&self) -> &str {
        &self.message
    }

    /// Whether there is no answer because the connection, or the call on it, was ended.
    pub fn is_disconnected(&self) -> bool {
        self.is_disconnected
    }

    /// The status that stands in the headers of an answer, or after it.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Status> {
        let number = headers.get("grpc-status")?;
        let message = headers.get("grpc-message");
        let message = message.map_or(&[][..], |it| it.as_bytes());
        let message = percent_decode(message).decode_utf8_lossy();
        Some(Status::new(Code::of(number.as_bytes()), message))
    }
}

impl From<h2::Error> for Status {
    fn from(error: h2::Error) -> Status {
        Status {
            is_disconnected: true,
            ..Status::new(Code::UNAVAILABLE, error.to_string())
        }
    }
}

impl Code {
    pub const OK: Code = Code(0);
    pub const CANCELLED: Code = Code(1);
    pub const UNKNOWN: Code = Code(2);
    pub const INVALID_ARGUMENT: Code = Code(3);
    pub const DEADLINE_EXCEEDED: Code = Code(4);
    pub const OUT_OF_RANGE: Code = Code(11);
    pub const UNIMPLEMENTED: Code = Code(12);
    pub const INTERNAL: Code = Code(13);
    pub const UNAVAILABLE: Code = Code(14);
    pub const DATA_LOSS: Code = Code(15);

    fn of(number: &[u8]) -> Code {
        let number = std::str::from_utf8(number).ok();
        let number = number.and_then(|it| it.parse().ok());
        let known = number.filter(|it| *it < NAMES.len());
        known.map_or(Code::UNKNOWN, Code)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(NAMES[self.0])
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gRPC status {self:?}")
    }
}
