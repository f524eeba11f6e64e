//! What speaks to a language server through its pipes.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use fixture::protocol::Protocol;
use serde_json::{Value, json};

/// Far more than an answer takes, and more than a call to a provider may; it ends a test that would wait for ever.
pub const LIMIT: Duration = Duration::from_secs(120);

/// What every secret of the test workspaces begins with.
pub const SECRET: &str = "MARKER-SECRET";

pub struct Client {
    pub server: Child,
    input: Option<ChildStdin>,
    messages: Receiver<(Instant, Value)>,
    /// When the last message arrived, before it was read.
    pub arrived: Instant,
    /// Every message of the server so far.
    pub said: Vec<Value>,
    /// Which action the user chooses where a message offers some.
    pub chooses: Option<usize>,
    requests: i64,
    protocol: Option<Protocol>,
}

impl Client {
    /// Starts a server that was said nothing to. What it sends has to be as the protocol says.
    pub fn start(command: &mut Command) -> Client {
        let mut client = Client::start_other(command);
        client.protocol = Some(Protocol::default());
        client
    }

    /// As [`Client::start`], for a server that isn't ours.
    pub fn start_other(command: &mut Command) -> Client {
        let mut server = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let input = server.stdin.take();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Client {
            server,
            input,
            messages,
            arrived: Instant::now(),
            said: Vec::new(),
            chooses: None,
            requests: 0,
            protocol: None,
        }
    }

    /// The result of a request that the server answers.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        let message = self.answer(id);
        assert!(message["error"].is_null(), "{method}: {message}");
        message["result"].clone()
    }

    /// The whole answer to a request.
    pub fn answer(&mut self, id: i64) -> Value {
        loop {
            let message = self.next();
            if message["method"].is_null() && message["id"] == id {
                return message;
            }
        }
    }

    /// The next message. Requests of the server are answered.
    pub fn next(&mut self) -> Value {
        let (arrived, message) = self
            .messages
            .recv_timeout(LIMIT)
            .expect("the server speaks");
        self.arrived = arrived;
        if let Some(protocol) = &mut self.protocol {
            protocol.received(&message);
        }
        // No server is told a secret to show it.
        let text = message.to_string();
        assert!(!text.contains(SECRET), "a secret was sent: {text}");
        self.said.push(message.clone());
        if !message["method"].is_null() && !message["id"].is_null() {
            let actions = &message["params"]["actions"];
            let chosen = self.chooses.map(|index| actions[index].clone());
            self.send(json!({ "jsonrpc": "2.0", "id": message["id"], "result": chosen }));
        }
        message
    }

    pub fn request(&mut self, method: &str, params: Value) -> i64 {
        self.requests += 1;
        let id = self.requests;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    pub fn open(&mut self, uri: &str, language: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    fn send(&mut self, message: Value) {
        if let Some(protocol) = &mut self.protocol {
            protocol.sent(&message);
        }
        let body = message.to_string();
        let input = self.input.as_mut().unwrap();
        write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        input.flush().unwrap();
    }

    /// Says nothing more.
    pub fn close(&mut self) {
        self.input = None;
    }

    pub fn stop(mut self) {
        self.ask("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        let status = self.server.wait().unwrap();
        assert!(status.success(), "after `exit`: {status}");
        // What nobody waited for.
        for (_, message) in self.messages.iter() {
            if let Some(protocol) = &mut self.protocol {
                protocol.received(&message);
            }
        }
    }
}

/// The next message of a stream, and when all of it was there.
pub fn read(from: &mut impl BufRead) -> Option<(Instant, Value)> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.parse().ok()?
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).ok()?;
    let arrived = Instant::now();
    Some((arrived, serde_json::from_slice(&body).ok()?))
}
