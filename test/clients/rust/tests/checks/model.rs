//! What the checks speak: entities with typed texts, rejections, and the results of checks.
use azure_core::error::ErrorKind;
use serde_json::{json, Map, Value};
use std::{env, future::Future, io::Write, sync::atomic::AtomicU32, sync::atomic::Ordering, sync::LazyLock};

pub const CLIENT: &str = "Rust azure_data_tables";
pub const VERSION: &str = "0.21.0";

/// An entity as the crate reads and writes it: JSON, with the types of its properties beside them.
pub type Entity = Map<String, Value>;

/// Why a check does not hold.
#[derive(Debug)]
pub enum Miss {
    /// The client cannot express what the check asks for.
    Cannot(String),
    /// The service rejected a call. The results of a transaction have no code.
    Rejected { status: u16, code: Option<String> },
    /// The client failed in another way.
    Failed(String),
}

/// Why a check of the code of a failed transaction is not possible.
pub const NO_INDEX: &str = "the answer to a transaction has neither code nor index";

pub type Outcome<T = ()> = Result<T, Miss>;

impl From<azure_core::Error> for Miss {
    fn from(error: azure_core::Error) -> Self {
        match error.kind() {
            ErrorKind::HttpResponse { status, error_code } => {
                let code = error_code.clone().or_else(|| code_in(&error));
                Miss::Rejected { status: u16::from(*status), code }
            }
            _ => Miss::Failed(format!("{error:?}")),
        }
    }
}

/// Returns the code in the body of an answer. The crate does not read the errors of tables, but its error shows the body. It
/// is XML for the operations for which the crate sends no Accept: updates and deletes.
fn code_in(error: &azure_core::Error) -> Option<String> {
    let shown = error.as_http_error()?.to_string().replace('\\', "");
    let between = |start: &str, end: &str| {
        let (_, rest) = shown.split_once(start)?;
        rest.split_once(end).map(|(code, _)| code.to_owned())
    };
    between("\"code\":\"", "\"").or_else(|| between("<code>", "</code>"))
}

/// cases.json.
pub static CASES: LazyLock<Value> = LazyLock::new(|| {
    let text = std::fs::read_to_string(variable("TABLES_CASES")).expect("the cases");
    serde_json::from_str(&text).expect("JSON")
});

pub fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("the variable {name} is missing"))
}

/// Returns a name of a table that no other check uses.
pub fn new_name() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    format!("rust{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// Runs a check, and reports it to the file in TABLES_RESULTS. Returns whether it failed.
pub async fn check(id: &str, run: impl Future<Output = Outcome> + Send + 'static) -> bool {
    let (result, why) = match tokio::spawn(run).await {
        Ok(Ok(())) => ("held", String::new()),
        Ok(Err(Miss::Cannot(why))) => ("cannot", why),
        Ok(Err(miss)) => ("failed", format!("{miss:?}")),
        Err(panic) => ("failed", panic.to_string()),
    };
    let why: String = why.chars().take(500).collect();
    let line = json!({ "client": CLIENT, "version": VERSION, "check": id, "result": result, "why": why });
    let file = std::fs::OpenOptions::new().create(true).append(true).open(variable("TABLES_RESULTS"));
    file.and_then(|mut file| file.write_all(format!("{line}\n").as_bytes())).expect("the results are written");
    if result == "failed" {
        println!("{id} failed: {why}");
    }
    result == "failed"
}

/// Reports checks that the client cannot express.
pub async fn cannot(ids: &[&str], why: &'static str) {
    for id in ids {
        check(id, async move { Err(Miss::Cannot(why.to_owned())) }).await;
    }
}

/// Expects a call to be rejected with this status, and with this code unless it is empty.
pub fn rejected<T>(outcome: Outcome<T>, wanted: u16, code: &str) -> Outcome {
    match outcome {
        Ok(_) => Err(Miss::Failed(format!("the call was answered, but {wanted} {code} was expected"))),
        Err(Miss::Rejected { status, code: found }) if status == wanted => match found {
            _ if code.is_empty() => Ok(()),
            Some(found) if found == code => Ok(()),
            None => Err(Miss::Cannot(NO_INDEX.to_owned())),
            found => Err(Miss::Failed(format!("{found:?}, not {code}"))),
        },
        Err(miss) => Err(miss),
    }
}

/// Returns an entity with these properties of type Int32.
pub fn entity(partition: &str, row: &str, numbers: &[(&str, i32)]) -> Entity {
    let mut made = Entity::new();
    made.insert("PartitionKey".into(), partition.into());
    made.insert("RowKey".into(), row.into());
    for (name, number) in numbers {
        made.insert((*name).into(), (*number).into());
    }
    made
}

/// Returns a text of cases.json.
pub fn expand(value: &Value) -> String {
    match value.as_str() {
        Some(text) => text.to_owned(),
        None => value["repeat"].as_str().unwrap().repeat(value["times"].as_u64().unwrap() as usize),
    }
}

/// Adds a property of a type to an entity.
pub fn put(entity: &mut Entity, name: &str, kind: &str, text: &str) {
    let value = match kind {
        "Boolean" => json!(text == "true"),
        "Int32" => json!(text.parse::<i32>().unwrap()),
        "Double" => match text.parse::<f64>() {
            Ok(number) if number.is_finite() => json!(number),
            _ => json!(text),
        },
        _ => json!(text),
    };
    entity.insert(name.into(), value);
    entity.insert(format!("{name}@odata.type"), json!(format!("Edm.{kind}")));
}

/// Whether a property that was read has this type and value.
pub fn same(found: &Entity, name: &str, kind: &str, text: &str) -> bool {
    let value = &found[name];
    let guessed = match value {
        Value::Bool(_) => "Boolean",
        Value::Number(number) if number.is_f64() => "Double",
        Value::Number(_) => "Int32",
        _ => "String",
    };
    let annotated = found.get(&format!("{name}@odata.type")).and_then(Value::as_str);
    let written = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let equal = match kind {
        "Double" => written == text || written.parse::<f64>().ok() == text.parse::<f64>().ok(),
        "DateTime" => ticks(&written) == ticks(text),
        _ => written == text,
    };
    annotated.map_or(guessed, |full| full.trim_start_matches("Edm.")) == kind && equal
}

/// Returns an instant with seven digits of a second.
fn ticks(text: &str) -> String {
    let text = text.trim_end_matches('Z');
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}.{fraction:0<7}")
}

/// Returns the properties of type Int32, but neither keys nor annotations.
pub fn numbers(found: &Entity) -> Vec<(String, i64)> {
    found.iter().filter_map(|(name, value)| value.as_i64().map(|number| (name.clone(), number))).collect()
}

/// Returns both keys, one after the other.
pub fn names(found: &[Entity]) -> String {
    let key = |one: &Entity, name: &str| one[name].as_str().unwrap_or_default().to_owned();
    let each = found.iter().map(|one| key(one, "PartitionKey") + &key(one, "RowKey"));
    each.collect::<Vec<_>>().join(" ")
}
