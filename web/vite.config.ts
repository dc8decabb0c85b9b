import { fileURLToPath } from 'node:url'
import preact from '@preact/preset-vite'
import type { InlineConfig } from 'vite'

/**
 * The audit pages as files that any build on any machine makes byte for byte alike: names without hashes, nothing inlined
 * (the pages allow no inline script or style), no source maps.
 */
export default {
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/audit/',
  configFile: false,
  logLevel: 'warn',
  plugins: [preact({ prefreshEnabled: false, devToolsEnabled: false })],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: ['chrome123', 'firefox121', 'safari17.5'],
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        entryFileNames: 'assets/[name].js',
        chunkFileNames: 'assets/[name].js',
        assetFileNames: 'assets/[name][extname]',
      },
    },
  },
} satisfies InlineConfig
