// node gltf.mjs MODULES FILE: what the Khronos validator says of a .glb file, as JSON.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const [modules, file] = process.argv.slice(2);
const validator = createRequire(`${modules}/`)('gltf-validator');
const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), { maxIssues: 20 });
process.stdout.write(JSON.stringify(report.issues));
