import { describePostgres } from '../storage/postgres-tools.ts'
import { testEarlyGrading } from './early-grading-cases.ts'

describePostgres('a batch of the command on PostgreSQL', (tools) => {
  let databases = 0
  testEarlyGrading(async () => {
    databases += 1
    const name = `early_${databases}`
    await tools().server.query(`CREATE DATABASE ${name}`)
    return { VERIDICT_DATABASE_URL: tools().server.url.replace(/[^/]+$/, name) }
  })
})
