@"%~dp0kubectl-numa.cmd" __complete %*
