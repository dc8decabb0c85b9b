import { describeStores } from './contract.ts'
import { describeOverview } from './contract-overview.ts'
import { describePostgres } from './postgres-tools.ts'

describePostgres('PostgreSQL', (tools) => {
  describeStores('PostgreSQL', () => tools().open())
  describeOverview('PostgreSQL', () => tools().open())
})
