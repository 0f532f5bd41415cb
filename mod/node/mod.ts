/**
 * The parts of a running node around its controllers: its API, its config on disk, and what both ask the machine for.
 * @module
 */
export { API_SERVICE_ID, apiService, type CertificateSource } from "./api_service.ts";
export { ConfigFile, inlineConfig, readConfigFile } from "./config_file.ts";
export { bootId, kernelHostname, machineId, serviceSource, stageSource } from "./machine_sources.ts";
export { NodeBackend } from "./node_backend.ts";
