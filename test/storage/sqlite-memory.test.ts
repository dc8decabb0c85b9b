import { openSqliteStores } from '../../src/db/stores.ts'
import { describeStores } from './contract.ts'

describeStores('SQLite in memory', async () => openSqliteStores({ path: ':memory:' }))
