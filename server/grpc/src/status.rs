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

/// The codes of gRPC, in the order of their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    Ok,
    Cancelled,
    Unknown,
    InvalidArgument,
    DeadlineExceeded,
    NotFound,
    AlreadyExists,
    PermissionDenied,
    ResourceExhausted,
    FailedPrecondition,
    Aborted,
    OutOfRange,
    Unimplemented,
    Internal,
    Unavailable,
    DataLoss,
    Unauthenticated,
}

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

    /// Whether the connection ended, or broke this call off: the server did not answer it.
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
            ..Status::new(Code::Unavailable, error.to_string())
        }
    }
}

impl Code {
    fn of(number: &[u8]) -> Code {
        use Code::*;
        const ALL: [Code; 17] = [
            Ok,
            Cancelled,
            Unknown,
            InvalidArgument,
            DeadlineExceeded,
            NotFound,
            AlreadyExists,
            PermissionDenied,
            ResourceExhausted,
            FailedPrecondition,
            Aborted,
            OutOfRange,
            Unimplemented,
            Internal,
            Unavailable,
            DataLoss,
            Unauthenticated,
        ];
        let number = std::str::from_utf8(number).ok();
        let number = number.and_then(|it| it.parse::<usize>().ok());
        let code = number.and_then(|it| ALL.get(it));
        *code.unwrap_or(&Unknown)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gRPC status {self:?}")
    }
}
