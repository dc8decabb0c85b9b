#!/usr/bin/env node
import { createRequire } from 'node:module'

createRequire(import.meta.url)('../bin/compile-cache.cjs').useCompileCache()
const { runCommand } = await import('./cli/command-line.ts')
await runCommand(process.argv.slice(2))
