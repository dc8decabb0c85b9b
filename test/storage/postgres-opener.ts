import { openPostgresStores } from '../../src/db/stores.ts'
import { SETTINGS } from './postgres-settings.ts'

/** Run by itself: opens the stores of a schema at the same time as others do, and says which secret it was given. */
const [, , url, schema] = process.argv
if (url === undefined || schema === undefined) throw new Error('usage: postgres-opener.ts <url> <schema>')
const stores = await openPostgresStores({ url, schema, ...SETTINGS })
const secret = await stores.settings.renderingSecret(() => crypto.getRandomValues(new Uint8Array(8)))
await stores.close()
process.stdout.write(Buffer.from(secret).toString('hex'))
