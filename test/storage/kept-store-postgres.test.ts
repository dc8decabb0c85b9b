import { readKeptStore, testKeptStore } from './kept-store.ts'
import { askDatabase, describePostgres, newDatabase } from './postgres-tools.ts'

describePostgres('PostgreSQL', (tools) => {
  testKeptStore('vk_328e1f3924959d13_OCyZwa4n13_yiwp6PEAX_VpAbwiiH1y29-mhQ_34_Eo', async () => {
    const url = await newDatabase(tools().server)
    await askDatabase(url, readKeptStore('postgres'))
    return {
      env: { VERIDICT_DATABASE_URL: url },
      rows: (table) => askDatabase(url, `SELECT * FROM veridict."${table}"`),
    }
  })
})
