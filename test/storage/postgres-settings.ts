export const SETTINGS = {
  max_connections: 10,
  connect_timeout_ms: 15_000,
  statement_timeout_ms: 20_000,
  idle_transaction_timeout_ms: 20_000,
}
