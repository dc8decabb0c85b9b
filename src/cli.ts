#!/usr/bin/env node
import { createRequire } from 'node:module'
import { VERSION } from './grading/software.ts'

const args = process.argv.slice(2)
if (args.length === 1 && ['--version', '-V'].includes(args[0] ?? '')) console.log(VERSION)
else {
  createRequire(import.meta.url)('../bin/compile-cache.cjs').useCompileCache()
  await (await import('./cli/command-line.ts')).runCommand(args)
}
