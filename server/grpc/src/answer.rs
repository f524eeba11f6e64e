//! The messages of an answer.

use bytes::{Buf, Bytes, BytesMut};
use h2::RecvStream;
use http::{Response, StatusCode};

use crate::status::{Code, Status};

/// Schemas of large providers are over gRPC's usual 4 MiB. Servers of Terraform's plugins stop at 256 MiB, those of Pulumi's at
/// 400 MiB.
const LIMIT: usize = 400 << 20;

/// Before each message: whether it is compressed, and its length.
pub(crate) const PREFIX: usize = 5;

/// An answer that arrives. Dropped, the call is cancelled.
pub struct Answer {
    body: RecvStream,
    /// The part of the next message that has arrived.
    begun: BytesMut,
}

impl Answer {
    pub(crate) fn of(response: Response<RecvStream>) -> Result<Answer, Status> {
        if let Some(status) = Status::of(response.headers())
            && status.code() != Code::OK
        {
            return Err(status);
        }
        if response.status() != StatusCode::OK {
            let text = format!("HTTP status {}", response.status());
            return Err(Status::new(Code::UNKNOWN, text));
        }
        Ok(Answer {
            body: response.into_body(),
            begun: BytesMut::new(),
        })
    }

    /// The next message; `None` at the end.
    pub async fn message(&mut self) -> Result<Option<Bytes>, Status> {
        loop {
            if let Some(length) = length(&self.begun)?
                && self.begun.len() >= PREFIX + length
            {
                self.begun.advance(PREFIX);
                return Ok(Some(self.begun.split_to(length).freeze()));
            }
            let Some(arrived) = self.body.data().await else {
                return self.end().await;
            };
            let arrived = arrived?;
            self.body.flow_control().release_capacity(arrived.len())?;
            // A copy: a view would keep all that the connection read with it.
            self.begun.extend_from_slice(&arrived);
        }
    }

    async fn end(&mut self) -> Result<Option<Bytes>, Status> {
        let trailers = self.body.trailers().await?;
        match trailers.as_ref().and_then(Status::of) {
            Some(status) if status.code() != Code::OK => Err(status),
            _ if !self.begun.is_empty() => {
                Err(Status::new(Code::INTERNAL, "the answer ends in the middle"))
            }
            _ => Ok(None),
        }
    }
}

/// The length of the message that begins here, once that has arrived.
fn length(mut begun: &[u8]) -> Result<Option<usize>, Status> {
    if begun.len() < PREFIX {
        return Ok(None);
    }
    if begun.get_u8() != 0 {
        return Err(Status::new(Code::INTERNAL, "the answer is compressed"));
    }
    let length = begun.get_u32() as usize;
    match length <= LIMIT {
        true => Ok(Some(length)),
        false => Err(Status::new(
            Code::OUT_OF_RANGE,
            format!("the answer has {length} bytes, over {LIMIT}"),
        )),
    }
}
