// cargo add --dev testcontainers-modules --features azurite,blocking
use testcontainers_modules::{
    azurite::Azurite,
    testcontainers::{runners::SyncRunner, ImageExt},
};

#[test]
fn fruit() {
    let storage = Azurite::default()
        .with_name("tabularium")
        .with_tag("full")
        .start()
        .unwrap();
    let port = storage.get_host_port_ipv4(10002).unwrap();
    println!("http://127.0.0.1:{port}/devstoreaccount1");
}
