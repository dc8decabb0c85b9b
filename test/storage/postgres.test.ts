import { describeStores } from './contract.ts'
import { describePostgres } from './postgres-tools.ts'

describePostgres('PostgreSQL', (tools) => describeStores('PostgreSQL', () => tools().open()))
