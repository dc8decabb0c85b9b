import { describePostgres } from '../storage/postgres-tools.ts'
import { testTwoServices } from './two-services.ts'

describePostgres('two services on one PostgreSQL', (tools) => {
  testTwoServices(async () => {
    const schema = tools().newSchema()
    return [await tools().open(schema), await tools().open(schema)]
  })
})
