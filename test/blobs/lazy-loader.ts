import { registerHooks } from 'node:module'

/** Run by itself: opens stores with a place for large data, says how often a client of AWS was loaded, uses it, and says it again. */
let loaded = 0
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('@aws-sdk/') || specifier.startsWith('@smithy/')) loaded += 1
    return next(specifier, context)
  },
})
const { loadConfig } = await import('../../src/config/config.ts')
const { createStorePool } = await import('../../src/boot/store-pool.ts')
const { config, secrets } = loadConfig(process.env, () => '')
const room = await createStorePool(config, secrets)
const stores = await room.open('default')
const before = loaded
await stores.check().catch(() => undefined)
await stores.close()
await room.close()
process.stdout.write(JSON.stringify({ before, used: loaded > 0 }))
