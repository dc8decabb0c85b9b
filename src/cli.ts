#!/usr/bin/env node
import { createRequire } from 'node:module'
import { VERSION } from './grading/software.ts'

const args = process.argv.slice(2)
if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${VERSION}\n`)
} else {
  createRequire(import.meta.url)('../bin/compile-cache.cjs').useCompileCache()
  const { runCommand } = await import('./command-line.ts')
  await runCommand(args)
}
