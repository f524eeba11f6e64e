//! A place for states outside of the folder.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A backend of type `http`: keeps the posted state, until it is set to be away.
pub struct Backend {
    address: String,
    state: Arc<Mutex<Option<Vec<u8>>>>,
    calls: Arc<Mutex<Vec<String>>>,
    is_away: Arc<Mutex<bool>>,
}

impl Backend {
    pub fn start() -> Backend {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let backend = Backend {
            address: format!("http://{}/state", listener.local_addr().unwrap()),
            state: Arc::default(),
            calls: Arc::default(),
            is_away: Arc::default(),
        };
        let (state, calls) = (backend.state.clone(), backend.calls.clone());
        let is_away = backend.is_away.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let is_away = *is_away.lock().unwrap();
                answer(stream, &state, &calls, is_away);
            }
        });
        backend
    }

    /// The block that names it in a configuration.
    pub fn block(&self) -> String {
        let address = &self.address;
        format!("  backend \"http\" {{\n    address = \"{address}\"\n  }}\n")
    }

    /// Has this in the place of a state.
    pub fn store(&self, state: &[u8]) {
        *self.state.lock().unwrap() = Some(state.to_owned());
    }

    /// Refuses everybody from now on, or not.
    pub fn set_away(&self, is_away: bool) {
        *self.is_away.lock().unwrap() = is_away;
    }

    /// The methods of the requests since the last look.
    pub fn take_calls(&self) -> Vec<String> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }
}

/// Notes a call before it answers: whoever has the answer finds the call.
fn answer(
    mut stream: TcpStream,
    state: &Mutex<Option<Vec<u8>>>,
    calls: &Mutex<Vec<String>>,
    is_away: bool,
) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let method = first.split(' ').next()?.to_owned();
    let mut headers = BTreeMap::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.split_once(':') else {
            break;
        };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").map(|it| it.parse().unwrap());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).ok()?;
    calls.lock().unwrap().push(method.clone());
    let mut state = state.lock().unwrap();
    let (status, body) = match (is_away, method.as_str()) {
        (true, _) => ("403 Forbidden", Vec::new()),
        (false, "POST") => {
            *state = Some(body);
            ("200 OK", Vec::new())
        }
        (false, _) => match &*state {
            Some(state) => ("200 OK", state.clone()),
            None => ("404 Not Found", Vec::new()),
        },
    };
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
    stream.write_all(head.as_bytes()).ok()?;
    stream.write_all(&body).ok()
}
