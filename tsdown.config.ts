import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: ['semconv/index.ts', 'instrumentation/index.ts'],
  format: ['esm', 'cjs'],
  unbundle: true,
  fixedExtension: true,
  dts: true,
  sourcemap: false,
  target: 'node22.15',
  platform: 'node',
  failOnWarn: true,
  checks: { legacyCjs: false },
  deps: { onlyBundle: [] },
});
