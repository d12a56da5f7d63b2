// Warns about sections of bench/RESULTS.md that are old, and passes all the same: to measure takes an hour and a quiet machine.
import { findOldSections } from './measured-commits.ts';

const old = findOldSections(process.cwd());
for (const sentence of old) console.log(`Warning: bench/RESULTS.md: ${sentence}`);
if (old.length > 0) console.log('Measure them again before a release, such as: npm run bench -- publish');
