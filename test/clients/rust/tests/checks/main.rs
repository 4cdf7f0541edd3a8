//! Runs the checks of checks.md with azure_data_tables.
mod accounts;
mod driver;
mod entities;
mod model;
mod queries;
mod signatures;
mod transactions;
