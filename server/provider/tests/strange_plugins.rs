//! Executables that are no providers, or none that we can talk to: scripts in the place of a provider.

#![cfg(unix)]

use std::fs::{self, File, Permissions};
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use config::{ModuleAddr, ProviderConfigAddr};
use provider::{Config, Environment, ProviderError, Providers};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

/// Far more than a script takes to end.
const LONG: Duration = Duration::from_secs(20);

/// What comes of asking a provider that is this script.
async fn ask(script: &str) -> (TempDir, Providers, String) {
    let folder = tempfile::tempdir().unwrap();
    let executable = folder.path().join("terraform-provider-strange");
    fs::write(&executable, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&executable, Permissions::from_mode(0o755)).unwrap();
    let cli_config = folder.path().join("terraformrc");
    let dir = folder.path().display();
    let overrides = format!("dev_overrides {{\n \"planlens/strange\" = \"{dir}\"\n }}");
    fs::write(
        &cli_config,
        format!("provider_installation {{\n {overrides}\n}}\n"),
    )
    .unwrap();
    let temporary = folder.path().join("tmp");
    fs::create_dir(&temporary).unwrap();
    let variables = [
        ("TF_CLI_CONFIG_FILE", cli_config.display().to_string()),
        ("TMPDIR", temporary.display().to_string()),
        ("PATH", "/usr/bin:/bin".to_owned()),
    ];
    let providers = Providers::new(Config {
        environment: Environment {
            root_module: folder.path().to_owned(),
            variables: variables.into(),
        },
        cache_dir: None,
        terraform_version: "1.11.4".to_owned(),
        approved: provider::Approved::All,
        limit: Default::default(),
    });
    let strange = providers.provider(&ProviderConfigAddr {
        module: ModuleAddr::root(),
        provider: "planlens/strange".parse().unwrap(),
        alias: None,
    });
    let answer = tokio::time::timeout(LONG, strange.schema()).await.unwrap();
    let Err(error @ ProviderError::Start { .. }) = answer else {
        panic!("{answer:?}")
    };
    assert_eq!(fs::read_dir(&temporary).unwrap().count(), 0, "{error}");
    if cfg!(target_os = "linux") {
        let is_gone = async {
            while runs_in(folder.path()) {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(LONG, is_gone).await.unwrap();
    }
    (folder, providers, error.to_string())
}

/// Whether any process is left there: a script's children, too.
fn runs_in(folder: &Path) -> bool {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|entry| fs::read_link(entry.path().join("cwd")).ok())
        .any(|cwd| cwd == folder)
}

#[tokio::test]
async fn failures_of_a_strange_executable_are_reported() {
    for (script, expected) in [
        ("exit 3", "it ended at once (exit status: 3)"),
        ("echo Usage: strange", "it is not a Terraform provider"),
        ("echo '1|4|unix|/x|netrpc|'; sleep 60", "net/rpc"),
        (
            "echo '1|7|unix|/x|grpc|'; sleep 60",
            "neither plugin protocol 5 nor 6",
        ),
        (
            "echo '1|5|tcp|127.0.0.1:1|grpc|'; sleep 60",
            "does not listen on a Unix socket",
        ),
        (
            "echo '1|5|unix|/nowhere|grpc|'; sleep 60",
            "its socket does not answer",
        ),
        ("yes | tr -d '\\n'", "it is not a Terraform provider"),
    ] {
        let (_folder, _providers, error) = ask(script).await;
        assert!(error.contains(expected), "{script}: {error}");
    }
}

/// The socket of another program: an agent for keys, a container service.
#[tokio::test]
async fn a_socket_that_is_not_in_the_folder_of_the_plugin_is_not_spoken_to() {
    let elsewhere = tempfile::tempdir().unwrap();
    let socket = elsewhere.path().join("agent");
    let listener = UnixListener::bind(&socket).unwrap();
    listener.set_nonblocking(true).unwrap();
    let socket = socket.display();
    let own = "$PLUGIN_UNIX_SOCKET_DIR";
    for script in [
        format!("echo '1|5|unix|{socket}|grpc|'; sleep 60"),
        format!("ln -s {socket} {own}/s; echo \"1|5|unix|{own}/s|grpc|\"; sleep 60"),
        format!("echo \"1|5|unix|{own}/../../../../../../..{socket}|grpc|\"; sleep 60"),
        format!(
            "ln -s {} {own}/d; echo \"1|5|unix|d/agent|grpc|\"; sleep 60",
            elsewhere.path().display()
        ),
    ] {
        let (_folder, _providers, error) = ask(&script).await;
        assert!(
            error.contains("is outside of its folder"),
            "{script}: {error}"
        );
        let spoken_to = listener.accept().map(|_| ()).map_err(|error| error.kind());
        assert_eq!(spoken_to, Err(ErrorKind::WouldBlock), "{script}");
    }
}

/// What it looks like is kept: its length, and when it was last modified.
#[tokio::test]
async fn a_package_that_was_replaced_since_it_was_verified_does_not_start() {
    let root = tempfile::tempdir().unwrap();
    let platform = match (std::env::consts::OS, std::env::consts::ARCH) {
        ("linux", "x86_64") => "linux_amd64",
        ("linux", "aarch64") => "linux_arm64",
        ("macos", "aarch64") => "darwin_arm64",
        other => panic!("{other:?}"),
    };
    let address = "registry.terraform.io/planlens/strange";
    let package = root
        .path()
        .join(format!(".terraform/providers/{address}/1.0.0/{platform}"));
    fs::create_dir_all(&package).unwrap();
    let name = "terraform-provider-strange";
    let executable = package.join(name);
    let honest = "#!/bin/sh\necho started >> starts; exit 3\n";
    fs::write(&executable, honest).unwrap();
    fs::set_permissions(&executable, Permissions::from_mode(0o755)).unwrap();
    let digest = Sha256::digest(honest)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect::<String>();
    let hash = STANDARD.encode(Sha256::digest(format!("{digest}  {name}\n")));
    let lock = format!(
        "provider \"{address}\" {{\n  version = \"1.0.0\"\n  hashes = [\"h1:{hash}\"]\n}}\n"
    );
    fs::write(root.path().join(".terraform.lock.hcl"), lock).unwrap();
    let providers = Providers::new(Config {
        environment: Environment {
            root_module: root.path().to_owned(),
            variables: [("PATH", "/usr/bin:/bin")].into(),
        },
        cache_dir: None,
        terraform_version: "1.11.4".to_owned(),
        approved: provider::Approved::All,
        limit: Default::default(),
    });
    let addr = ProviderConfigAddr {
        module: ModuleAddr::root(),
        provider: "planlens/strange".parse().unwrap(),
        alias: None,
    };
    let error = providers
        .provider(&addr)
        .schema()
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("exit status: 3"), "{error}");
    let modified = executable.metadata().unwrap().modified().unwrap();
    fs::write(&executable, honest.replace("started", "malware")).unwrap();
    let file = File::options().write(true).open(&executable).unwrap();
    file.set_modified(modified).unwrap();
    drop(file);
    // The pause after a failed start is over at some time.
    let refused = async {
        loop {
            match providers.provider(&addr).schema().await {
                Err(error @ ProviderError::LockMismatch { .. }) => return error,
                _ => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    };
    tokio::time::timeout(LONG, refused).await.unwrap();
    let starts = fs::read_to_string(root.path().join("starts")).unwrap();
    assert!(!starts.contains("malware"), "{starts}");
}

#[tokio::test]
async fn a_start_that_failed_is_not_tried_again_at_once() {
    let (folder, providers, error) = ask("echo started >> starts; exit 1").await;
    let addr = ProviderConfigAddr {
        module: ModuleAddr::root(),
        provider: "planlens/strange".parse().unwrap(),
        alias: None,
    };
    for _ in 0..10 {
        let again = providers.provider(&addr).schema().await.unwrap_err();
        assert_eq!(again.to_string(), error);
    }
    let starts = fs::read_to_string(folder.path().join("starts")).unwrap();
    assert!(starts.lines().count() < 10, "{starts}");
}
