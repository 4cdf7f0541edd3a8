#!/usr/bin/env node
// The command `azurite-blob`: Azurite's own blob service.
import { runService } from './run-service.mjs';

runService('blob');
