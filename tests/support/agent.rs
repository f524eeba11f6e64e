//! A client of `planlens mcp` that speaks the protocol by itself.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use super::client::SECRET;

/// Bytes of an answer as it is sent.
pub const LARGEST: usize = 20_000;

pub struct Agent {
    pub server: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    calls: u64,
}

impl Agent {
    pub fn start(command: &mut Command) -> Agent {
        let mut server = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut agent = Agent {
            input: server.stdin.take().unwrap(),
            output: BufReader::new(server.stdout.take().unwrap()),
            server,
            calls: 0,
        };
        let greeting = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": { "name": "test", "version": "1" },
        });
        let (answer, _) = agent.ask("initialize", greeting);
        assert_eq!(answer["result"]["serverInfo"]["name"], "planlens");
        agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        agent
    }

    /// Calls a tool, and cancels the call.
    pub fn cancel(&mut self, tool: &str, arguments: Value) {
        self.calls += 1;
        let id = self.calls;
        let params = json!({ "name": tool, "arguments": arguments });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }));
        let params = json!({ "requestId": id });
        self.send(
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }),
        );
    }

    fn send(&mut self, message: &Value) {
        // Written at once: `writeln!` would write piece by piece.
        let line = format!("{message}\n");
        self.input.write_all(line.as_bytes()).unwrap();
        self.input.flush().unwrap();
    }

    pub fn ask(&mut self, method: &str, params: Value) -> (Value, usize) {
        self.calls += 1;
        let id = self.calls;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.ask_with(&message)
    }

    /// The answer to a whole message, and its length.
    pub fn ask_with(&mut self, message: &Value) -> (Value, usize) {
        self.send(message);
        self.answer(&message["id"])
    }

    /// The answer to a message that may be invalid: `rest` follows its id.
    pub fn ask_in_words(&mut self, rest: &str) -> (Value, usize) {
        self.calls += 1;
        let id = self.calls;
        let line = format!("{{\"jsonrpc\": \"2.0\", \"id\": {id}, {rest}}}\n");
        self.input.write_all(line.as_bytes()).unwrap();
        self.input.flush().unwrap();
        self.answer(&id.into())
    }

    fn answer(&mut self, id: &Value) -> (Value, usize) {
        loop {
            let mut line = String::new();
            assert!(
                self.output.read_line(&mut line).unwrap() > 0,
                "the server left"
            );
            assert!(!line.contains(SECRET), "a secret was sent: {line}");
            let answer: Value = serde_json::from_str(&line).unwrap();
            if answer["id"] == *id {
                return (answer, line.len());
            }
            assert!(answer["id"].is_null(), "another call is answered: {line}");
        }
    }

    /// What a tool answers, which is not too long.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let (answer, length) = self.ask("tools/call", params);
        assert!(length < LARGEST, "{tool}: {length} bytes");
        assert!(answer["error"].is_null(), "{tool}: {answer}");
        answer["result"].clone()
    }

    /// The text of an answer that is no refusal, and its data.
    pub fn answer_of(&mut self, tool: &str, arguments: Value) -> (String, Value) {
        let answer = self.call(tool, arguments);
        assert_ne!(answer["isError"], true, "{tool}: {answer}");
        (text(&answer), answer["structuredContent"].clone())
    }

    pub fn refused(&mut self, tool: &str, arguments: Value) -> String {
        let answer = self.call(tool, arguments);
        assert_eq!(answer["isError"], true, "{tool}: {answer}");
        text(&answer)
    }

    pub fn stop(mut self) {
        drop(self.input);
        assert!(self.server.wait().unwrap().success());
    }
}

/// The words of an answer.
pub fn text(answer: &Value) -> String {
    answer["content"][0]["text"].as_str().unwrap().to_owned()
}
