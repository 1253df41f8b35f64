@echo off
rem The plugin on Windows, with the Java of JAVA_HOME, or the one on the path.
setlocal
set "java=java"
if defined JAVA_HOME set "java=%JAVA_HOME%\bin\java"
set "version="
for /f "tokens=2,3" %%a in ('^""%java%" -version 2^>^&1^"') do if "%%a"=="version" set "version=%%~b"
set "major=0"
for /f "delims=.-+_" %%m in ("%version%") do set "major=%%m"
set "found=it is older"
if not defined version set "found=there is none"
if %major% LSS 17 (
  echo kubectl numa needs Java 17 or later, and %found%: java=%java%; install one, or set JAVA_HOME to it>&2
  exit /b 2
)
"%java%" -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData -Xshare:auto -Dslf4j.internal.verbosity=ERROR -cp "%~dp0lib\*" io.numaledger.kubectl.PluginMain %*
exit /b %ERRORLEVEL%
